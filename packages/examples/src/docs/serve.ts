import { Agent, serve } from "@svc-runtime/server"

serve({
  agents: [Agent.make({ id: "assistant", instructions: "Be brief." })],
  name: "Desk",
  quickPrompts: { assistant: ["What can you do?"] }
})
