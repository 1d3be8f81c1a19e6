// What a paused run waits for: one tool call that needs a confirmation, user input or an external result.
import { Predicate, Schema } from "effect"
import { ToolExecution } from "./ToolExecution.ts"

export const Requirement = Schema.Struct({
  id: Schema.String,
  /** ISO 8601. */
  created_at: Schema.String,
  tool_execution: ToolExecution,
  /** Its approval is resolved, and the run follows it, as soon as the rest is decided. */
  approval_status: Schema.optionalKey(Schema.Literals(["approved", "rejected"])),
  /** How many other questions of the same call came before. Left out: none. */
  asked_before: Schema.optionalKey(Schema.Int),
  confirmation: Schema.optionalKey(Schema.Boolean),
  confirmation_note: Schema.optionalKey(Schema.String),
  external_execution_result: Schema.optionalKey(Schema.String),
  user_input_schema: Schema.optionalKey(Schema.Json),
  user_feedback_schema: Schema.optionalKey(Schema.Json),
  /** Set if the call belongs to a member of a team. */
  member_agent_id: Schema.optionalKey(Schema.String),
  member_agent_name: Schema.optionalKey(Schema.String),
  member_run_id: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Requirement" })
export type Requirement = typeof Requirement.Type

/** Whether it is a requirement, as a step keeps those of its executor as JSON. */
export const isRequirement = (value: unknown): value is Requirement =>
  Predicate.hasProperty(value, "id") && Predicate.hasProperty(value, "tool_execution")

/** Whether the decision is missing. */
export const isOpen = (requirement: Requirement): boolean =>
  requirement.confirmation === undefined && requirement.external_execution_result === undefined &&
  requirement.user_input_schema === undefined && requirement.approval_status === undefined
