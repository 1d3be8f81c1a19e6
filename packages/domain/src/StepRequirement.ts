// What a paused workflow waits for. Clients send it back with their decision: `StepRequirement` for decisions on a
// step, `ErrorRequirement` for a failed step.
import { Schema } from "effect"
import * as Json from "./Json.ts"
import { optional } from "./schema/optional.ts"
import { StepType } from "./StepOutput.ts"

export const OnReject = Schema.Literals(["skip", "cancel", "else", "retry"])
export type OnReject = typeof OnReject.Type

/** The action if a decision is late. */
export const OnTimeout = Schema.Literals(["cancel", "skip", "approve"])
export type OnTimeout = typeof OnTimeout.Type

export const FieldType = Schema.Literals(["str", "int", "float", "bool", "list", "dict"])
export type FieldType = typeof FieldType.Type

/** One value that a person has to enter. */
export const InputField = Schema.Struct({
  name: Schema.String,
  field_type: FieldType,
  description: Schema.NullOr(Schema.String),
  value: Schema.Json,
  required: Schema.Boolean,
  allowed_values: Schema.optionalKey(Schema.Array(Schema.Json))
}).annotate({ identifier: "StepInputField" })
export type InputField = typeof InputField.Type

/** `[i, j]` for the children of a step, `i` for the steps of the workflow itself. */
export const StepIndex = Schema.Union([Schema.Int, Schema.Array(Schema.Int)])
export type StepIndex = typeof StepIndex.Type

const text = Schema.NullOr(Schema.String)

/** Of one question: a step that asks again has another one. Requirements of earlier versions of Svc have none. */
const id = Schema.optionalKey(Schema.String)

export const StepRequirement = Schema.Struct({
  id,
  /** Of a paused run: whether it waits for no decision on this any more. Those of earlier versions of Svc have none. */
  resolved: Schema.optionalKey(Schema.Boolean),
  step_id: Schema.String,
  step_name: Schema.String,
  step_index: StepIndex,
  step_type: StepType,
  requires_confirmation: Schema.Boolean,
  confirmation_message: text,
  /** Null until a decision is made. */
  confirmed: Schema.NullOr(Schema.Boolean),
  on_reject: OnReject,
  requires_user_input: Schema.Boolean,
  user_input_message: text,
  user_input: Schema.NullOr(Schema.Record(Schema.String, Schema.Json)),
  requires_route_selection: Schema.Boolean,
  available_choices: Schema.NullOr(Schema.Array(Schema.String)),
  allow_multiple_selections: Schema.Boolean,
  selected_choices: Schema.NullOr(Schema.Array(Schema.String)),
  requires_output_review: Schema.Boolean,
  output_review_message: text,
  /** The step has run: the decision is about its result. */
  is_post_execution: Schema.Boolean,
  rejection_feedback: text,
  /** How often a decision repeated the step. */
  retry_count: Schema.Int,
  max_retries: Schema.Int,
  /** RFC 3339. Checked when the run is continued. */
  timeout_at: text,
  on_timeout: OnTimeout,
  user_input_schema: Schema.optionalKey(Schema.Array(InputField)),
  /** Of the values: the service refuses others. Requirements of earlier versions of Svc can have none. */
  user_input_json_schema: Schema.optionalKey(Json.Object),
  step_input: Schema.optionalKey(Schema.Json),
  step_output: Schema.optionalKey(Schema.Json),
  edited_output: Schema.optionalKey(Schema.Json),
  requires_executor_input: Schema.optionalKey(Schema.Boolean),
  /** The requirements of the paused agent or team, in its own format. */
  executor_requirements: Schema.optionalKey(Schema.Array(Schema.Json)),
  executor_id: Schema.optionalKey(Schema.String),
  executor_name: Schema.optionalKey(Schema.String),
  executor_run_id: Schema.optionalKey(Schema.String),
  executor_type: Schema.optionalKey(Schema.Literals(["agent", "team"])),
  executor_session_id: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "StepRequirement" })
export type StepRequirement = typeof StepRequirement.Type

export const ErrorRequirement = Schema.Struct({
  id,
  step_id: Schema.String,
  step_name: Schema.String,
  step_index: StepIndex,
  error_message: Schema.String,
  error_type: Schema.String,
  retry_count: Schema.Int,
  decision: Schema.NullOr(Schema.Literals(["retry", "skip"]))
}).annotate({ identifier: "ErrorRequirement" })
export type ErrorRequirement = typeof ErrorRequirement.Type

/**
 * The step and the fields of a decision, as a client sends them. Svc takes all other fields from its own record.
 */
export const DecisionInput = Schema.Struct({
  id: optional(Schema.String),
  step_id: Schema.String,
  confirmed: optional(Schema.Boolean),
  user_input: optional(Schema.Record(Schema.String, Schema.Json)),
  selected_choices: optional(Schema.Array(Schema.String)),
  edited_output: Schema.optionalKey(Schema.Json),
  rejection_feedback: optional(Schema.String),
  executor_requirements: optional(Schema.Array(Schema.Json))
}).annotate({ identifier: "StepResolution" })
export type DecisionInput = typeof DecisionInput.Type

export const ErrorResolution = Schema.Struct({
  id: optional(Schema.String),
  step_id: Schema.String,
  decision: optional(Schema.Literals(["retry", "skip"]))
}).annotate({ identifier: "ErrorResolution" })
export type ErrorResolution = typeof ErrorResolution.Type

/** A requirement without any request: the base of every pause. */
export const blank = (step: {
  readonly step_id: string
  readonly step_name: string
  readonly step_index: StepIndex
  readonly step_type: StepType
}): StepRequirement => ({
  step_id: step.step_id,
  step_name: step.step_name,
  step_index: step.step_index,
  step_type: step.step_type,
  requires_confirmation: false,
  confirmation_message: null,
  confirmed: null,
  on_reject: "skip",
  requires_user_input: false,
  user_input_message: null,
  user_input: null,
  requires_route_selection: false,
  available_choices: null,
  allow_multiple_selections: false,
  selected_choices: null,
  requires_output_review: false,
  output_review_message: null,
  is_post_execution: false,
  rejection_feedback: null,
  retry_count: 0,
  max_retries: 3,
  timeout_at: null,
  on_timeout: "cancel"
})
