// # Give Claude your tools and agents
// Agents
//
// Each service is an MCP server. Assistants such as Claude Code, Cursor and Codex can run its agents, and call the
// tools that you add.
//
// Try:
//   npm run node -- packages/examples/src/recipes/assistant.ts
//   svc connect
//
// Change: `scope` is what a caller needs, on a service with authorization.
import { Agent, McpServerTool, serve } from "@svc-runtime/server"
import { Schema } from "effect"

const balance = McpServerTool.make({
  name: "balance",
  description: "Reads the balance of an account",
  parameters: Schema.Struct({ account: Schema.String }),
  scope: "accounts:read",
  readOnly: true,
  execute: async ({ account }) => ({ account, cents: 1200 })
})

export const application = { agents: [Agent.make({ id: "assistant" })], mcp: { tools: [balance] } }

if (import.meta.main) serve(application)
