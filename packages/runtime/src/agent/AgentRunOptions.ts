// The options of a run of an agent or of a team's leader.
import * as RunOption from "@svc/domain/RunOption"
import type * as ContextOptions from "./ContextOptions.ts"
import type { OutputSchema } from "./StructuredOutput.ts"

export interface AgentRunOptions extends ContextOptions.Values, RunOption.Values<typeof RunOption.client> {
  /** Overrides the agent's setting. */
  readonly outputSchema: OutputSchema | undefined
}

export const defaults: AgentRunOptions = {
  ...RunOption.defaultsOf(RunOption.context),
  ...RunOption.defaultsOf(RunOption.client),
  outputSchema: undefined
}

export const withHistory: AgentRunOptions = { ...defaults, add_history_to_context: true }

export const withoutHistory: AgentRunOptions = { ...defaults, add_history_to_context: false }

/** A member has its own settings for its history and its output, and otherwise the options of its team. */
export const ofMember = (team: AgentRunOptions): AgentRunOptions => ({
  ...RunOption.valuesOf(RunOption.context, team),
  ...RunOption.defaultsOf(RunOption.client),
  add_history_to_context: undefined,
  outputSchema: undefined
})
