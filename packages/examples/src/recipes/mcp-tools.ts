// # Use the tools of an MCP server
// Agents
//
// The agent gets the tools of the server, under names with a prefix, and only the included ones. Each can have
// rules of its own, such as a confirmation by a person.
//
// Try:
//   npm run node -- packages/examples/src/recipes/assistant.ts
//   DATA_DIR=.svc-2 PORT=7778 FETCH_ALLOW=127.0.0.1:7777 npm run node -- packages/examples/src/recipes/mcp-tools.ts
//
// Change: `command` and `args` start a server as a process instead of `url`.
import { Agent, McpTools, serve } from "@svc-runtime/server"

export const accountantWith = (url: string) =>
  Agent.make({
    id: "accountant",
    instructions: "Answer questions about accounts.",
    tools: [
      McpTools.make({ name: "bank", url, prefix: "bank_", include: ["balance"], effects: { balance: "read" } })
    ]
  })

if (import.meta.main) serve({ agents: [accountantWith("http://127.0.0.1:7777/mcp")] })
