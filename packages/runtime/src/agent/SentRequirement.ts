// Decisions as clients send them: with a call (`tools`), or with a requirement, where they can be in the requirement or
// in its call. Everything else that a client sends back is ignored.
import { Predicate, Schema } from "effect"

const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** A call as a client sends it back: a `ToolExecution`, of which only these keys are read. */
export const SentTool = Schema.Struct({
  tool_call_id: Schema.String,
  tool_args: maybe(Schema.Json),
  confirmed: maybe(Schema.Boolean),
  confirmation_note: maybe(Schema.String),
  result: maybe(Schema.String),
  user_input_schema: maybe(Schema.Array(Schema.Struct({ name: Schema.String, value: maybe(Schema.Json) })))
})
export type SentTool = typeof SentTool.Type

export const SentRequirement = Schema.Struct({
  id: maybe(Schema.String),
  member_run_id: maybe(Schema.String),
  confirmation: maybe(Schema.Boolean),
  confirmation_note: maybe(Schema.String),
  external_execution_result: maybe(Schema.String),
  user_input_schema: SentTool.fields.user_input_schema,
  tool_execution: maybe(Schema.Struct({ ...SentTool.fields, tool_call_id: maybe(Schema.String) }))
})
export type SentRequirement = typeof SentRequirement.Type

const hasValues = (fields: SentTool["user_input_schema"]) =>
  fields?.some(({ value }) => !Predicate.isNullish(value)) === true

/** The decision on the call. Undefined if there is none. */
export const sentTool = (tool_call_id: string, sent: SentRequirement): SentTool | undefined => {
  const { tool_execution: inner } = sent
  const confirmed = inner?.confirmed ?? sent.confirmation ?? null
  const result = inner?.result ?? sent.external_execution_result ?? null
  const fields = hasValues(inner?.user_input_schema) ? inner?.user_input_schema : sent.user_input_schema
  if (confirmed === null && result === null && !hasValues(fields)) return undefined
  return {
    tool_call_id,
    confirmed,
    result,
    confirmation_note: inner?.confirmation_note ?? sent.confirmation_note ?? null,
    user_input_schema: fields ?? null
  }
}
