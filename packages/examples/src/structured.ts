// Objects in, objects out: the message is JSON that fits a schema, the answer is an object that fits another, and a
// check refuses some inputs before the model is asked.
//
//   curl -s http://127.0.0.1:7777/agents/classifier/runs -F stream=false \
//     -F message='{"ticket":"The parcel never came","language":"en"}'
import { Agent, Hook, serve } from "@svc-runtime/server"
import { z } from "zod"

const Ticket = z.object({ ticket: z.string().min(1), language: z.enum(["en", "de", "fr"]) })

const Verdict = z.object({
  category: z.enum(["delivery", "billing", "product", "other"]),
  urgent: z.boolean(),
  reply: z.string().describe("One polite sentence in the language of the ticket")
}).meta({ title: "Verdict" })

const notTooLong: Hook.Hook = {
  name: "not-too-long",
  run: ({ input }) => {
    const { ticket } = Ticket.parse(input.input_content)
    if (ticket.length > 2000) {
      throw new Hook.CheckFailed({ reason: "input_not_allowed", message: "A ticket has at most 2,000 characters" })
    }
  }
}

export const classifier = Agent.make({
  id: "classifier",
  instructions: "Sort support tickets.",
  inputSchema: Ticket,
  outputSchema: Verdict,
  preHooks: [notTooLong]
})

if (import.meta.main) serve({ agents: [classifier] })
