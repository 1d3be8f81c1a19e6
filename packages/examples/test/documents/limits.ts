// The block of docs/operate/limits.md.
// #region
import { Agent, serve } from "@svc-runtime/server"

const researcher = Agent.make({
  id: "researcher",
  limits: { runsAtOnce: 5, tokensPerDay: 2_000_000 }
})

serve({
  agents: [researcher, Agent.make({ id: "assistant" })],
  limits: {
    user: { runsAtOnce: 3, runsPerMinute: 20, tokensPerDay: 200_000 },
    component: { runsAtOnce: 50 },
    service: { runsAtOnce: 200 }
  }
})
// #endregion
