// docs/guides/declared.md

// #region
import { Agent, serve } from "@svc-runtime/server"

const assistant = Agent.make({ id: "assistant", instructions: "Be brief." })

serve({
  agents: [assistant],
  schedules: [{
    name: "Daily report",
    cron: "0 9 * * mon-fri",
    timezone: "Europe/Berlin",
    component: assistant,
    payload: { message: "Write the report of yesterday." }
  }],
  webhooks: [{
    name: "failures",
    url: "https://receiver.example/svc",
    events: ["run.failed", "schedule.failed"],
    secret: process.env["WEBHOOK_SECRET"]
  }],
  datasets: [{
    name: "Numbers",
    items: [{ input: "What is 17 times 23?", expectedOutput: "391" }]
  }],
  serviceAccounts: [{ name: "ci", token: process.env["CI_TOKEN"], scopes: ["agents:run"] }]
})
// #endregion
