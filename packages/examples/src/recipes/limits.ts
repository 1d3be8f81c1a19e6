// # Limits for each tenant
// Safety and limits
//
// The limits of a user count for what the credential of a tenant names as its user. They are checked in the database,
// so several nodes share them, and a refused request says when to try again.
//
// Try:
//   npm run node -- packages/examples/src/recipes/limits.ts
//   curl -si localhost:7777/agents/assistant/runs -F message=Hi -F user_id=acme -F stream=false
//
// Change: `whenExceeded: "queue"` lets runs wait instead of refusing them. `component` limits one agent for all.
import { Agent, serve } from "@svc-runtime/server"

export const application = {
  agents: [Agent.make({ id: "assistant" })],
  limits: { user: { runsPerMinute: 2, runsAtOnce: 3, tokensPerDay: 200_000 } }
}

if (import.meta.main) serve(application)
