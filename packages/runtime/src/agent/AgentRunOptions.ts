// What a caller may choose for a run of an agent, or of the leader of a team.
import type { OutputSchema } from "./StructuredOutput.ts"

export interface AgentRunOptions {
  /** Instead of the agent's own. */
  readonly outputSchema: OutputSchema | undefined
  /** Instead of the agent's own. */
  readonly addHistoryToContext: boolean | undefined
  readonly addDependenciesToContext: boolean
  readonly addSessionStateToContext: boolean
}

export const defaults: AgentRunOptions = {
  outputSchema: undefined,
  addHistoryToContext: undefined,
  addDependenciesToContext: false,
  addSessionStateToContext: false
}
