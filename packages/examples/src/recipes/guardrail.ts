// # Keep personal data from the model
// Safety and limits
//
// A guardrail looks at the input before the model gets it, and at the answer. This one replaces addresses and numbers
// of cards in the messages, so that the provider never gets them. The stored run keeps what the caller has sent in its
// `input`.
//
// Try:
//   npm run node -- packages/examples/src/recipes/guardrail.ts
//   svc run desk "My address is ann@example.com"
//
// Change: `action: "block"` refuses the message instead.
import { Agent, Guardrail, serve } from "@svc-runtime/server"

const desk = Agent.make({
  id: "desk",
  instructions: "Help the customer.",
  hooks: [Guardrail.pii({ types: ["email", "phone", "card", "iban"] }), Guardrail.length({ max: 20_000 })]
})

export const application = { agents: [desk] }

if (import.meta.main) serve(application)
