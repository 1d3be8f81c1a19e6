import { Agent, Guardrail, serve } from "@svc-runtime/server"

serve({ agents: [Agent.make({ id: "desk", hooks: [Guardrail.pii({ types: ["email", "card"] })] })] })
