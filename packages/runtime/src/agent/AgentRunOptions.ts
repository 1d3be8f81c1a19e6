// The options of a run of an agent or of a team's leader.
import type { OutputSchema } from "./StructuredOutput.ts"

export interface AgentRunOptions {
  /** Overrides the agent's setting. */
  readonly outputSchema: OutputSchema | undefined
  /** Overrides the agent's setting. */
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
