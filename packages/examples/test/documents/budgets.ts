// docs/operate/budgets.md

// #region
import { Agent, serve } from "@svc-runtime/server"

const researcher = Agent.make({ id: "researcher", modelSettings: { maxOutputTokens: 2000 } })

serve({
  agents: [researcher, Agent.make({ id: "assistant" })],
  budgets: [
    { name: "each run", scope: "run", amount: 0.5 },
    { name: "each user", scope: "user", period: "day", amount: 2 },
    { name: "research", scope: "component", component: researcher, period: "month", amount: 300 },
    { name: "all", scope: "service", period: "month", amount: 1000, warnAt: 90 }
  ]
})
// #endregion
