// Decisions as clients send them: with a call (`tools`), or with a requirement, where they can be in the requirement or
// in its call. Other keys of a stored call or requirement are ignored. A key of neither can be a misspelt decision, so
// it is refused.
import * as Media from "@svc-runtime/domain/Media"
import * as Requirement from "@svc-runtime/domain/Requirement"
import * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import { unread } from "@svc-runtime/engine/run/DecisionList"
import { Predicate, Schema } from "effect"

const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** Both names are accepted on both levels. */
export const confirmation = { confirmed: maybe(Schema.Boolean), confirmation: maybe(Schema.Boolean) }

interface Confirmation {
  readonly confirmed?: boolean | null
  readonly confirmation?: boolean | null
}

const confirmationsIn = ({ confirmation, confirmed }: Confirmation): ReadonlyArray<boolean> =>
  [confirmed, confirmation].filter(Predicate.isBoolean)

const agreeing = (confirmations: ReadonlyArray<boolean>) =>
  new Set(confirmations).size < 2 ? undefined : "the call is both confirmed and rejected"

/** What is wrong with the confirmations of one decision. */
export const contradictionIn = (sent: Confirmation) =>
  agreeing(confirmationsIn(sent)) === undefined ? undefined : "the step is both confirmed and rejected"

const toolFields = {
  ...unread(ToolExecution.ToolExecution.fields),
  tool_call_id: Schema.String,
  tool_name: maybe(Schema.String),
  tool_args: maybe(Schema.Json),
  ...confirmation,
  confirmation_note: maybe(Schema.String),
  result: maybe(Schema.String),
  result_media: maybe(Schema.Array(Media.File)),
  /** Which question of the call is meant. */
  asked: Schema.optionalKey(Schema.Unknown),
  user_input_schema: maybe(
    Schema.Array(
      Schema.Struct({
        ...unread(StepRequirement.InputField.fields),
        name: Schema.String,
        value: maybe(Schema.Json)
      })
    )
  )
}

/** A call as a client sends it back: a `ToolExecution`, of which only these keys are read. */
export const SentTool = Schema.Struct(toolFields).check(Schema.makeFilter((sent) => agreeing(confirmationsIn(sent))))

/** `isNamed`: the id of its requirement was sent, so that the decision is about no other question of the call. */
export type SentTool = typeof SentTool.Type & { readonly isNamed?: boolean | undefined }

export const SentRequirement = Schema.Struct({
  ...unread(Requirement.Requirement.fields),
  id: maybe(Schema.String),
  member_run_id: maybe(Schema.String),
  ...confirmation,
  confirmation_note: maybe(Schema.String),
  external_execution_result: maybe(Schema.String),
  /** Of the result, as base64. */
  result_media: maybe(Schema.Array(Media.File)),
  user_input_schema: toolFields.user_input_schema,
  tool_execution: maybe(Schema.Struct({ ...toolFields, tool_call_id: maybe(Schema.String) }))
}).check(Schema.makeFilter((sent) => agreeing([sent, sent.tool_execution ?? {}].flatMap(confirmationsIn))))
export type SentRequirement = typeof SentRequirement.Type

const hasValues = (fields: SentTool["user_input_schema"]) =>
  fields?.some(({ value }) => !Predicate.isNullish(value)) === true

/** Whether the call is confirmed. Null without a confirmation. */
export const confirmationOf = (sent: Confirmation): boolean | null => confirmationsIn(sent)[0] ?? null

/** The call as it is sent, with its decision if there is one. */
export const sentCall = (tool_call_id: string, sent: SentRequirement): SentTool => {
  const { tool_execution: inner } = sent
  // those of the call can have defaults, and an open requirement has none of its own
  const fields = hasValues(sent.user_input_schema) ? sent.user_input_schema : inner?.user_input_schema
  return {
    tool_call_id,
    isNamed: typeof sent.id === "string",
    asked: inner?.asked,
    tool_name: inner?.tool_name ?? null,
    tool_args: inner?.tool_args ?? null,
    confirmed: confirmationOf(inner ?? {}) ?? confirmationOf(sent),
    result: inner?.result ?? sent.external_execution_result ?? null,
    result_media: inner?.result_media ?? sent.result_media ?? null,
    confirmation_note: inner?.confirmation_note ?? sent.confirmation_note ?? null,
    user_input_schema: fields ?? null
  }
}

/** The decision on the call. Undefined if there is none. */
export const sentTool = (tool_call_id: string, sent: SentRequirement): SentTool | undefined => {
  const call = sentCall(tool_call_id, sent)
  const { confirmed, result, user_input_schema } = call
  return confirmed === null && result === null && !hasValues(user_input_schema) ? undefined : call
}
