// docs/guides/schedules.md

// #region
import { Agent, serve } from "@svc-runtime/server"

const assistant = Agent.make({ id: "assistant" })

serve({
  agents: [assistant],
  schedules: [
    { name: "Daily report", cron: "0 9 * * mon-fri", component: assistant, payload: "Write the report." },
    {
      name: "Stored one",
      cron: "@daily",
      component: { kind: "workflow", id: "cleanup" },
      payload: { message: "All", session_id: "cleanups" },
      timeout: "10 minutes",
      maxRetries: 2
    }
  ]
})
// #endregion
