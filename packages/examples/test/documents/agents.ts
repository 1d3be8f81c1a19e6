// The blocks of docs/guides/agents.md about tools and the context.
import { Agent, Hook, Tool } from "@svc-runtime/server"
import { z } from "zod"

// #region
const transfer = Tool.make({
  name: "transfer",
  description: "Moves money between two accounts",
  parameters: z.object({ from: z.string(), to: z.string(), amount: z.number().positive() }),
  timeout: "30 seconds",
  execute: async ({ amount, from, to }, { userId, sessionState, signal }) => {/* … */}
})
// #endregion

// #region
const shop = {
  sessionState: z.object({ cart: z.array(z.string()) }),
  dependencies: z.object({ tenant: z.string() })
}

const add = Tool.make({
  name: "add",
  runSchemas: shop,
  parameters: z.object({ product: z.string() }),
  execute: ({ product }, { dependencies, sessionState }) => {
    sessionState.cart = [...sessionState.cart ?? [], product]
    return `${sessionState.cart.length} products of ${dependencies.tenant}`
  }
})

const fullCart: Hook.RunHook<typeof shop> = {
  name: "full-cart",
  beforeRun: ({ context: { sessionState } }) =>
    (sessionState.cart ?? []).length > 100 ? Hook.answer("Your cart is full.") : undefined
}

const cashier = Agent.make({
  id: "cashier",
  runSchemas: shop,
  instructions: ({ dependencies }) => `You sell what ${dependencies.tenant} has.`,
  tools: [add],
  hooks: [fullCart]
})
// #endregion

export { cashier, transfer }
