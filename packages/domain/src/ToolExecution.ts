// One tool call of a run. All keys are always present; unknown values are null.
import { Schema } from "effect"
import * as Json from "./Json.ts"
import { EpochSeconds } from "./Time.ts"

/** Epoch seconds with a fraction, and seconds. */
export const ToolMetrics = Schema.Struct({
  start_time: Schema.Finite,
  end_time: Schema.Finite,
  duration: Schema.Finite
}).annotate({ identifier: "ToolMetrics" })
export type ToolMetrics = typeof ToolMetrics.Type

/** What a call asks in the middle: for the person, and what the tool gets back with the values. */
export const ToolQuestion = Schema.Struct({
  message: Schema.String,
  state: Schema.Json,
  /** The JSON Schema of the values: the service refuses others. */
  schema: Schema.optionalKey(Json.Object),
  /** The name of what the call waits for. A client sends it as the `result`. */
  event: Schema.optionalKey(Schema.String)
})
  .annotate({ identifier: "ToolQuestion" })
export type ToolQuestion = typeof ToolQuestion.Type

export const ToolExecution = Schema.Struct({
  tool_call_id: Schema.String,
  tool_name: Schema.String,
  tool_args: Schema.NullOr(Schema.Json),
  tool_call_error: Schema.NullOr(Schema.Boolean),
  result: Schema.NullOr(Schema.String),
  metrics: Schema.NullOr(ToolMetrics),
  child_run_id: Schema.NullOr(Schema.String),
  stop_after_tool_call: Schema.Boolean,
  created_at: EpochSeconds,
  requires_confirmation: Schema.NullOr(Schema.Boolean),
  confirmed: Schema.NullOr(Schema.Boolean),
  confirmation_note: Schema.NullOr(Schema.String),
  requires_user_input: Schema.NullOr(Schema.Boolean),
  user_input_schema: Schema.NullOr(Schema.Json),
  user_feedback_schema: Schema.NullOr(Schema.Json),
  answered: Schema.NullOr(Schema.Boolean),
  external_execution_required: Schema.NullOr(Schema.Boolean),
  external_execution_silent: Schema.NullOr(Schema.Boolean),
  approval_type: Schema.NullOr(Schema.String),
  approval_id: Schema.NullOr(Schema.String),
  /** The tool source that offers the tool. Left out: the agent or the client does. */
  tool_source: Schema.optionalKey(Schema.String),
  /** The client of the run offers the tool, and executes it. */
  client_tool: Schema.optionalKey(Schema.Literal(true)),
  /**
   * The service stopped after the start of this call and before its result. Its outcome is unknown: a person supplies a
   * `result`, confirms that it is repeated, or rejects it.
   */
  outcome_unknown: Schema.optionalKey(Schema.Boolean),
  /** The call waits for this time, and the service answers it then. A person can do so before. */
  wake_at: Schema.optionalKey(EpochSeconds),
  /**
   * The call has begun, and asks for the values of `user_input_schema`, which are no arguments. If its outcome is
   * unknown: what is known of it.
   */
  asked: Schema.optionalKey(ToolQuestion),
  /** What the model reads before the result of a call without one: what persons have decided about the call. */
  before_result: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "ToolExecution" })
export type ToolExecution = typeof ToolExecution.Type

/** Whether it waits for a person. */
export const isPaused = (tool: ToolExecution): boolean =>
  tool.requires_confirmation === true || tool.requires_user_input === true || tool.external_execution_required === true

/**
 * A run that waits has not made the call, unless the call asks in its middle. A client can have executed its own call,
 * and its result was lost.
 */
export const isMade = (tool: ToolExecution): boolean =>
  tool.outcome_unknown === true || tool.asked !== undefined ||
  (tool.external_execution_required === true && tool.wake_at === undefined)

const outcomeLost = "The run ended before this call had answered. It may have had its effect"

/** Whether the run ended after the call had begun, and before its result was stored. */
export const isOutcomeLost = ({ result, tool_call_error }: ToolExecution): boolean =>
  tool_call_error === true && result === outcomeLost

/** Closes an unanswered call of an ended run. A call that has begun can have had all or part of its effect. */
export const cutOff = (tool: ToolExecution, hasBegun = isMade(tool)): ToolExecution =>
  tool.result === null
    ? {
      ...tool,
      tool_call_error: true,
      result: hasBegun
        ? outcomeLost
        : "Not executed: the run ended before this call was made"
    }
    : tool

/** Closes a call that waited for runs inside of it, with what is known of the calls for which they waited. */
export const cutOffInside = (tool: ToolExecution, inside: ReadonlyArray<ToolExecution>): ToolExecution => ({
  ...tool,
  tool_call_error: true,
  result: [
    "The run ended while this call waited for a run inside of it, which was stopped too.",
    ...inside.map((waiting) => `${waiting.tool_name}: ${cutOff(waiting).result}`)
  ].join("\n")
})

/** A call of the model without a result. */
export const requested = (call: {
  readonly tool_call_id: string
  readonly tool_name: string
  readonly tool_args: Schema.Json
  readonly created_at: number
  readonly tool_source?: string
  readonly client_tool?: true
}): ToolExecution => ({
  tool_call_id: call.tool_call_id,
  tool_name: call.tool_name,
  tool_args: call.tool_args,
  tool_call_error: null,
  result: null,
  metrics: null,
  child_run_id: null,
  stop_after_tool_call: false,
  created_at: call.created_at,
  requires_confirmation: null,
  confirmed: null,
  confirmation_note: null,
  requires_user_input: null,
  user_input_schema: null,
  user_feedback_schema: null,
  answered: null,
  external_execution_required: null,
  external_execution_silent: null,
  approval_type: null,
  approval_id: null,
  ...(call.tool_source === undefined ? {} : { tool_source: call.tool_source }),
  ...(call.client_tool === undefined ? {} : { client_tool: call.client_tool })
})
