// # A field for a person in a workflow
// People
//
// A step with `userInput` waits until a person has filled in its fields. The service checks the values, and refuses
// values that do not fit.
//
// Try:
//   npm run node -- packages/examples/src/recipes/field.ts
//   svc run workflow/parcel "17"
//   svc runs continue RUN --values '{"street": "Main Street 1", "city": "Paris"}'
//
// Change: `onReject: "cancel"` ends the workflow if the person rejects the step.
import type { Svc } from "@svc-runtime/client"
import { answer } from "@svc-runtime/client"
import { serve, Step, Workflow } from "@svc-runtime/server"
import { z } from "zod"

const address = Step.make({
  name: "address",
  userInput: { message: "Where to?", schema: z.object({ street: z.string().min(1), city: z.string().min(1) }) },
  run: ({ input, userInput }) => `Parcel ${String(input)} goes to ${userInput.street}, ${userInput.city}.`
})

const parcel = Workflow.make({ id: "parcel", steps: [address] })

export const application = { agents: [], workflows: [parcel] }

export const sendParcel = async (svc: Svc, order: string, values: Readonly<Record<string, string>>) => {
  const paused = await svc.workflow("parcel").run(order)
  return svc.workflow("parcel").continue(paused, answer(paused, values))
}

if (import.meta.main) serve(application)
