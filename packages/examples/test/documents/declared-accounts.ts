// docs/operate/authorization.md

// #region
import { Agent, serve } from "@svc-runtime/server"

serve({
  agents: [Agent.make({ id: "assistant" })],
  serviceAccounts: [{ name: "ci", token: process.env["CI_TOKEN"], scopes: ["agents:run"] }]
})
// #endregion
