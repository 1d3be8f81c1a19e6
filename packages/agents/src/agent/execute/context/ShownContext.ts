// What a run shows the model beside its messages: what is known now about the user and the session. It is read at each
// start, and not stored.
import { Effect } from "effect"
import type { Agent } from "../../define/Agent.ts"
import { hasHistory } from "../AgentCommand.ts"
import type { AgentExecution } from "../AgentExecution.ts"
import * as Text from "../Text.ts"
import type * as ContextFit from "./ContextFit.ts"
import * as ContextSource from "./ContextSource.ts"
import { toPrompt } from "./Conversation.ts"

/** The message of the user, as the model gets it. */
export const userText = ({ command }: AgentExecution): string => {
  const text = Text.ofJson(command.input.input_content)
  const hasDependencies = command.add_dependencies_to_context && Object.keys(command.dependencies).length > 0
  return hasDependencies
    ? `${text}\n\n<additional_context>\n${JSON.stringify(command.dependencies)}\n</additional_context>`
    : text
}

const hasSystemMessage = (agent: Agent): boolean => agent.systemMessage !== undefined || agent.buildContext

/** What is known now about the user and the session. An agent without a system message is shown nothing. */
export const sectionsOf = (execution: AgentExecution) => {
  const { command: { agent, session_id, user_id }, parts } = execution
  const { contextSources = [] } = execution.dependencies
  if (!hasSystemMessage(agent)) return Effect.succeed([])
  const sources = [
    ...parts.flatMap(({ sources = [] }) => sources),
    ...contextSources
  ]
  return ContextSource.sections(sources, { user_id, session_id, message: userText(execution) })
}

/** The summary that can replace a part of the history. */
const historySummaryOf = ({ command, fit, isHistoryFull, parts }: AgentExecution) => {
  const summary = parts.find(({ historySummary }) => historySummary !== undefined)?.historySummary
  return summary !== undefined && hasHistory(command) && (isHistoryFull || fit.isLimited) ? summary : Effect.undefined
}

/** What the session has had before the run. */
export const earlierOf = (execution: AgentExecution): Effect.Effect<ContextFit.Earlier> =>
  Effect.map(historySummaryOf(execution), (summary) => ({
    history: toPrompt(execution.history).content,
    isHistoryFull: execution.isHistoryFull,
    summary
  }))

/** What a feature shows with the message. An agent without a system message is shown nothing. */
export const openingOf = ({ command: { agent, input }, parts }: AgentExecution) => {
  const opening = parts.find(({ opening }) => opening !== undefined)?.opening
  return opening !== undefined && hasSystemMessage(agent) ? opening(Text.ofJson(input.input_content)) : Effect.undefined
}
