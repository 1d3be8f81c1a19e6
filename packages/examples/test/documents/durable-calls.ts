// The durable calls of docs/guides/tools.md, docs/guides/pauses.md and docs/guides/workflows.md.
import { type Agent, Workflow } from "@svc-runtime/server"

declare const planner: Agent.Agent
declare const book: (trip: object, key: string) => Promise<string>

// #region
import { Tool } from "@svc-runtime/server"
import { z } from "zod"

const planTrip = Tool.make({
  name: "plan_trip",
  parameters: z.object({ wish: z.string() }),
  execute: async ({ wish }, { generate, pause, run, step }) => {
    const [{ content: plan }, { nights }] = await Promise.all([
      run(planner, wish),
      generate({ prompt: `How many nights? ${wish}`, schema: z.object({ nights: z.int() }) })
    ])
    const { budget, pets } = await pause({
      question: `${String(plan)} What may it cost?`,
      schema: z.object({ budget: z.number(), pets: z.boolean() })
    })
    return step("book", ({ effectId }) => book({ plan, nights, budget, pets }, effectId), { effects: "idempotent" })
  }
})
// #endregion

declare const itemsOf: (order: number) => Promise<ReadonlyArray<string>>
declare const print: (item: string, address: string) => string

// #region
const returns = Workflow.make({
  id: "returns",
  inputSchema: z.object({ order: z.int() }),
  run: async ({ input, pause, step, waitFor }) => {
    const { address } = await pause({ question: "Where is it?", schema: z.object({ address: z.string() }) })
    const items = await step("items", () => itemsOf(input.order))
    await Promise.all(items.map((item) => step(`label ${item}`, () => print(item, address))))
    const parcel = await waitFor("arrived", { schema: z.object({ complete: z.boolean() }), timeout: "30 days" })
    return parcel === undefined ? "It never arrived" : `Complete: ${parcel.complete}`
  }
})
// #endregion

export { planTrip, returns }
