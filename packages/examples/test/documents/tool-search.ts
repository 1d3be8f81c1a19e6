// #region
import { Agent, McpTools } from "@svc-runtime/server"

export const assistant = Agent.make({
  id: "assistant",
  addHistoryToContext: true,
  tools: [
    McpTools.make({ name: "code", url: "https://code.example/mcp" }),
    McpTools.make({ name: "tickets", url: "https://tickets.example/mcp" })
  ],
  toolSearch: { above: 20, always: ["code_search"] }
})
// #endregion
