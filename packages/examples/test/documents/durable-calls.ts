// The durable calls of docs/guides/tools.md, docs/guides/pauses.md and docs/guides/workflows.md.
import { type Agent, Step, type StepInput } from "@svc-runtime/server"

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

declare const publish: (text: string) => string

// #region
const release = Step.make({
  name: "release",
  run: async ({ input, pause, waitFor }: StepInput) => {
    const { title } = await pause({ question: "Which title?", schema: z.object({ title: z.string() }) })
    const paid = await waitFor("paid", { schema: z.object({ cents: z.int() }), timeout: "3 days" })
    return paid === undefined ? "Not paid in time" : publish(`${title}: ${String(input)}`)
  }
})
// #endregion

export { planTrip, release }
