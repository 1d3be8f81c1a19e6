// The block of docs/operate/deployment.md.
// #region
import { Agent, serve } from "@svc-runtime/server"

serve({
  agents: [Agent.make({ id: "assistant" })],
  without: ["evaluation", "traces"]
})
// #endregion
