// # Wait for an event of another system
// People
//
// `waitFor` ends the execution until a client sends the event by its name. A payment provider, a webhook or a person
// can send it, also after a restart.
//
// Try:
//   npm run node -- packages/examples/src/recipes/event.ts
//   svc run workflow/shipping "order 17"
//   svc runs send RUN paid '{"cents": 1200}'
//
// Change: without a `timeout`, the workflow waits until the event comes or the run is cancelled.
import { serve, Step, type StepInput, Workflow } from "@svc-runtime/server"
import { z } from "zod"

const ship = Step.make({
  name: "ship",
  run: async ({ input, waitFor }: StepInput) => {
    const paid = await waitFor("paid", { schema: z.object({ cents: z.int() }), timeout: "15 minutes" })
    return paid === undefined
      ? `${String(input)} is cancelled.`
      : `${String(input)} is sent, ${paid.cents} cents are paid.`
  }
})

const shipping = Workflow.make({ id: "shipping", steps: [ship] })

export const application = { agents: [], workflows: [shipping] }

if (import.meta.main) serve(application)
