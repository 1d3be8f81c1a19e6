// A service whose agent has the tools of an MCP server, in a process of its own.
import { Agent, McpTools, serve } from "@svc-runtime/server"

const { MCP_PROGRAM: program, MCP_URL: url = "", PIDS: pids = "" } = process.env

const tools = program === undefined
  ? McpTools.make({ name: "raw", url, effects: { reads: "read" } })
  : McpTools.make({ name: "process", command: process.execPath, args: [program, "usual", pids] })

serve({ agents: [Agent.make({ id: "a", tools: [tools] })] })
