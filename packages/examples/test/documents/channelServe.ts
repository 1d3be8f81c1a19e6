// docs/guides/channels/own.md
import { webhookChat } from "./webhookChat.ts"
// #region
import { Agent, serve } from "@svc-runtime/server"
import { Channel } from "@svc-runtime/server/channels"

const { CHAT_SECRET = "", CHAT_URL = "" } = process.env

serve({
  agents: [Agent.make({ id: "desk" })],
  channels: [
    Channel.make({ agent: "desk", access: { type: "open" } }, webhookChat({ url: CHAT_URL, secret: CHAT_SECRET }))
  ]
})
// #endregion
