// A node of a service with the channel of `ChatPlatform`, for tests that kill it.
import * as Channel from "@svc-runtime/channels/Channel"
import { Agent, serve, Tool } from "@svc-runtime/server"
import * as ChatPlatform from "@svc-runtime/test-support/platforms/ChatPlatform"

const { CHAT_FINDS = "true", CHAT_URL: url = "", NODE_NAME: node = "" } = process.env

const pay = Tool.make({ name: "pay", requiresConfirmation: true, effects: "idempotent", execute: () => "paid" })

serve({
  agents: [Agent.make({ id: "desk", tools: [pay] })],
  channels: [
    Channel.make(
      { id: "chat", agent: "desk", access: { type: "open" } },
      ChatPlatform.adapter({ url, node, finds: CHAT_FINDS === "true" })
    )
  ]
})
