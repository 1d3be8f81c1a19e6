// A node of a service with budgets, for tests that kill it.
import { Agent, serve } from "@svc-runtime/server"

serve({
  agents: [Agent.make({ id: "a", modelSettings: { maxOutputTokens: 1000 } })],
  budgets: [
    { name: "all", scope: "service", period: "month", amount: 10 },
    { name: "each user", scope: "user", period: "month", amount: 4 }
  ]
})
