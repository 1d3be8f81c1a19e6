// # Sleep until tomorrow
// Workflows
//
// `sleep` pauses the run: no process holds it, and any node continues it at the time. What the function has done in a
// `step` is not done again.
//
// Try:
//   npm run node -- packages/examples/src/recipes/sleep.ts
//   svc run workflow/reminder '{"name": "Ann"}'
//
// Change: an agent can decide to wait by itself with `Toolkit.sleep()` in its tools.
import { serve, Step, type StepInput, Workflow } from "@svc-runtime/server"
import { z } from "zod"

export const sent: Array<string> = []

const Guest = z.object({ name: z.string(), wait: z.enum(["1 minute", "1 day"]).default("1 day") })

const remind = Step.make({
  name: "remind",
  effects: "idempotent",
  run: async ({ input: { name, wait }, sleep, step }: StepInput<z.infer<typeof Guest>>) => {
    const mail = (text: string) => step(text, () => void sent.push(`${text} to ${name}`), { effects: "idempotent" })
    await mail("Welcome")
    await sleep(wait)
    await mail("Reminder")
    return `${name} has got two mails.`
  }
})

const reminder = Workflow.make({ id: "reminder", inputSchema: Guest, steps: [remind] })

export const application = { agents: [], workflows: [reminder] }

if (import.meta.main) serve(application)
