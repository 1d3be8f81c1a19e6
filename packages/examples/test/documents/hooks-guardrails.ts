// The block of docs/guides/hooks.md about guardrails.
// #region
import { Agent, Guardrail, serve } from "@svc-runtime/server"

const desk = Agent.make({
  id: "desk",
  hooks: [
    Guardrail.length({ max: 20_000 }),
    Guardrail.promptInjection(),
    Guardrail.pii({ types: ["email", "phone", "card", "iban"] }),
    Guardrail.topics({ allowed: ["orders", "deliveries"], model: "openai:gpt-5-mini" }),
    Guardrail.secrets({ action: "block" })
  ]
})

serve({ agents: [desk] })
// #endregion
