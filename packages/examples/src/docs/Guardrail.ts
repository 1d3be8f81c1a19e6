import { Agent, Guardrail, serve } from "@svc/server"

serve({ agents: [Agent.make({ id: "desk", hooks: [Guardrail.pii({ types: ["email", "card"] })] })] })
