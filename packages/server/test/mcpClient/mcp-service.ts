// A service whose agent has the tools of an MCP server, in a process of its own.
import { Agent, McpTools, serve } from "@svc/server"

const { MCP_URL: url = "" } = process.env

serve({ agents: [Agent.make({ id: "a", tools: [McpTools.make({ name: "raw", url, effects: { reads: "read" } })] })] })
