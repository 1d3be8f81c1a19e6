// An agent for each customer: what it may do is decided when it is asked, by what the request names and by what the
// service knows of the caller. The shop's database is opened for the run and closed when the run has ended, whether it
// was answered, cancelled or refused.
//
//   curl -s http://127.0.0.1:7777/agents/order-desk/runs -F stream=false \
//     -F message='Find order 7' -F factory_input='{"shop":"tea-house"}'
import { Agent, AgentFactory, FactoryPermissionError, FactoryValidationError, serve, Tool } from "@svc-runtime/server"
import { z } from "zod"

interface Shop {
  readonly name: string
  readonly orders: Readonly<Record<number, string>>
  /** Only for callers whose token says that they work there. */
  readonly isPrivate: boolean
}

const shops: Readonly<Record<string, Shop>> = {
  "tea-house": { name: "Tea House", orders: { 7: "two tins of oolong, on their way" }, isPrivate: false },
  "back-office": { name: "Back Office", orders: { 1: "one hundred staplers, lost" }, isPrivate: true }
}

/** Stands for a connection: what is read after it was closed would be an error. */
export class ShopDatabase {
  static opened: Array<ShopDatabase> = []
  isOpen = true
  readonly shop: Shop
  constructor(shop: Shop) {
    this.shop = shop
    ShopDatabase.opened.push(this)
  }
  order(id: number): string {
    if (!this.isOpen) throw new Error("The connection is closed")
    return this.shop.orders[id] ?? `There is no order ${id}`
  }
  async close(): Promise<void> {
    this.isOpen = false
  }
}

export const orderDesk = AgentFactory.make({
  id: "order-desk",
  name: "Order desk",
  description: "Knows the orders of the shop that the request names.",
  inputSchema: z.object({
    shop: z.string().describe("tea-house or back-office"),
    tone: z.enum(["friendly", "brief"]).default("friendly")
  }),
  timeout: "5 seconds",
  build: async ({ id, input, onClose, trusted }) => {
    // A run that is continued has no input: then only the caller's token says which shop it is about.
    const named = input?.shop ?? trusted.claims["shop"]
    const shop = shops[String(named)]
    if (shop === undefined) throw new FactoryValidationError({ message: `there is no shop '${named}'` })
    if (shop.isPrivate && trusted.claims["shop"] !== named) {
      throw new FactoryPermissionError({ message: `Only staff of ${shop.name} may ask about its orders` })
    }
    const database = new ShopDatabase(shop)
    onClose(() => database.close())
    return Agent.make({
      id,
      name: `${shop.name} order desk`,
      instructions: [`Answer questions about orders of ${shop.name}.`, `Be ${input?.tone ?? "brief"}.`],
      tools: [
        Tool.make({
          name: "find_order",
          description: "Finds an order by its number",
          parameters: z.object({ order: z.int() }),
          execute: ({ order }) => database.order(order)
        })
      ]
    })
  }
})

if (import.meta.main) serve({ agents: [orderDesk] })
