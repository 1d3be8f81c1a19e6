// What the store is told of a run when it is accepted.
import { Run } from "@svc/domain"
import type { Models } from "../agent/AgentRunner.ts"
import type { RunCommand } from "../agent/RunCommand.ts"
import type { Beginning } from "./RunStore.ts"

export const beginningOf = (
  command: RunCommand,
  { model }: Models,
  { createdAt, node }: { readonly createdAt: number; readonly node: string }
): Beginning => ({
  run_id: command.run_id,
  session_id: command.session_id,
  kind: "agent",
  component_id: command.agent.id,
  user_id: command.user_id ?? null,
  isolated: command.isolated,
  node,
  created_at: createdAt,
  input: command.input,
  derived_name: Run.inputText(command.input).slice(0, 500),
  component_data: {
    name: command.agent.name,
    agent_id: command.agent.id,
    model: { name: model.name, provider: model.provider, id: model.id }
  },
  component_metadata: command.agent.metadata ?? null,
  history: (command.addHistoryToContext ?? command.agent.addHistoryToContext) ? command.agent.numHistoryRuns : 0
})
