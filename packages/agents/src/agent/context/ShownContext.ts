// What a run shows the model beside its messages: what is known now about the user and the session. It is read at each
// start, and not stored.
import * as ChosenFilters from "@svc-runtime/features/knowledge/ChosenFilters"
import * as KnowledgeContext from "@svc-runtime/features/knowledge/KnowledgeContext"
import * as LearningContext from "@svc-runtime/features/learning/LearningContext"
import * as MemoryContext from "@svc-runtime/features/memory/MemoryContext"
import * as SummaryContext from "@svc-runtime/features/summaries/SummaryContext"
import { Effect } from "effect"
import type { Agent } from "../Agent.ts"
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
  const { command: { agent, session_id, user_id }, context, knowledge, memory, sessions } = execution
  const { contextSources = [] } = execution.dependencies
  if (!hasSystemMessage(agent)) return Effect.succeed([])
  const sources = [
    ...(sessions?.summaries?.context === true ? [SummaryContext.source(sessions)] : []),
    ...(memory?.options.context === true ? [MemoryContext.source(memory)] : []),
    ...(knowledge !== undefined && agent.knowledge?.choosesFilters === true ? [ChosenFilters.source(knowledge)] : []),
    ...(agent.learning === undefined ? [] : [LearningContext.source(agent.learning, context)]),
    ...contextSources
  ]
  return ContextSource.sections(sources, { user_id, session_id, message: userText(execution) })
}

/** The summary that can replace a part of the history. */
const historySummaryOf = ({ command, fit, isHistoryFull, sessions }: AgentExecution) =>
  sessions?.summaries?.context === "history" && hasHistory(command) && (isHistoryFull || fit.isLimited)
    ? SummaryContext.message(sessions, { ...command, message: "" })
    : Effect.undefined

/** What the session has had before the run. */
export const earlierOf = (execution: AgentExecution): Effect.Effect<ContextFit.Earlier> =>
  Effect.map(historySummaryOf(execution), (summary) => ({
    history: toPrompt(execution.history).content,
    isHistoryFull: execution.isHistoryFull,
    summary
  }))

/** What its knowledge has about the message. An agent without a system message is shown nothing. */
export const knowledgeOf = ({ command: { agent, input }, knowledge }: AgentExecution) =>
  agent.knowledge?.addsToContext === true && knowledge !== undefined && hasSystemMessage(agent)
    ? KnowledgeContext.search(knowledge, Text.ofJson(input.input_content))
    : Effect.undefined
