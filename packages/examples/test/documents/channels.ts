// #region
import { Agent, serve } from "@svc-runtime/server"
import * as Telegram from "@svc-runtime/server/channels/telegram"

serve({
  agents: [Agent.make({ id: "desk", instructions: "Be brief." })],
  channels: [
    Telegram.make({ agent: "desk", token: process.env["TELEGRAM_TOKEN"] ?? "", access: { type: "open" } })
  ]
})
// #endregion
