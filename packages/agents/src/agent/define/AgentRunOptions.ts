// The options of a run of an agent or of a team's leader.
import type { EarlierMessage } from "@svc-runtime/domain/EarlierMessage"
import * as RunOption from "@svc-runtime/domain/RunOption"
import type { Shape } from "@svc-runtime/engine/schema/AnySchema"
import { Schema } from "effect"
import type * as ContextOptions from "./ContextOptions.ts"

export interface OutputSchema {
  readonly shape: Shape<unknown>
  /** The `content_type` of a matching answer: the title of the schema, or `dict` for an untyped one. */
  readonly contentType: string
}

export interface AgentRunOptions
  extends ContextOptions.Values, RunOption.Values<typeof RunOption.client>, RunOption.Values<typeof RunOption.model>
{
  /** Overrides the agent's setting. */
  readonly outputSchema: OutputSchema | undefined
  /** Shows all earlier runs of the path, unless the author has limited them. */
  readonly wholeHistory?: boolean | undefined
  /** Calls with their results, which the client of the run has behind the input. */
  readonly laterMessages?: ReadonlyArray<EarlierMessage> | undefined
  /**
   * `executes`: the run is a background task, and awaits the components that it calls. `result`: its input is the
   * result of one. `noted`: the same, and the input is taken in without a request to the model.
   */
  readonly backgroundTask?: BackgroundTaskRole | undefined
}

export const BackgroundTaskRole = Schema.Literals(["executes", "result", "noted"])
export type BackgroundTaskRole = typeof BackgroundTaskRole.Type

export const defaults: AgentRunOptions = {
  ...RunOption.defaultsOf(RunOption.context),
  ...RunOption.defaultsOf(RunOption.client),
  ...RunOption.defaultsOf(RunOption.model),
  outputSchema: undefined
}

/** Of clients for which a session is the whole conversation. */
export const withHistory: AgentRunOptions = { ...defaults, add_history_to_context: true, wholeHistory: true }

export const withoutHistory: AgentRunOptions = { ...defaults, add_history_to_context: false }

/** A member has its own model, history and output, and otherwise the options of its team. */
export const ofMember = (team: AgentRunOptions): AgentRunOptions => ({
  ...RunOption.valuesOf(RunOption.context, team),
  ...RunOption.defaultsOf(RunOption.client),
  ...RunOption.defaultsOf(RunOption.model),
  add_history_to_context: undefined,
  outputSchema: undefined
})
