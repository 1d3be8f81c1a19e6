// The tools of the client of a run, beside those of the author. A call of one pauses the run.
import type { ClientTool } from "@svc-runtime/domain/ClientTool"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import type { AgentCommand } from "../AgentCommand.ts"

/** The schema is for the model only. A check of the service would trust its patterns, and the client checks itself. */
const toTool = ({ description, name, parameters }: ClientTool): Tool.Tool => ({
  ...Tool.make({ name, description, externalExecution: true }),
  parameters: { type: "object", properties: {}, ...parameters }
})

/** The command with the tools of its client. A tool of the author keeps its name: the client cannot replace it. */
export const withTools = (command: AgentCommand): AgentCommand => {
  const { agent, client_tools: tools = [] } = command
  if (tools.length === 0) return command
  const added = tools.map((tool) => [tool.name, toTool(tool)] as const)
  return { ...command, agent: { ...agent, tools: new Map([...added, ...agent.tools]) } }
}
