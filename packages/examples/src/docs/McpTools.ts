import { Agent, McpTools } from "@svc-runtime/server"

export const helper = Agent.make({
  id: "helper",
  tools: [McpTools.make({ name: "tickets", url: "https://tickets.example/mcp", effects: { search: "read" } })]
})
