// docs/guides/webhooks.md

// #region
import { Agent, serve } from "@svc-runtime/server"

serve({
  agents: [Agent.make({ id: "assistant" })],
  webhooks: [{
    name: "failures",
    url: "https://receiver.example/svc",
    events: ["run.failed"],
    component: { kind: "agent", id: "assistant" },
    secret: process.env["WEBHOOK_SECRET"]
  }]
})
// #endregion
