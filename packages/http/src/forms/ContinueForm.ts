// The form that continues a run of an agent or a team. Its decisions must be JSON. Options of a new run that cannot be
// read are dropped with a warning, as in the form that starts a run.
import * as FactoryInput from "@svc-runtime/agents/factory/FactoryInput"
import type { ContinueRequest } from "@svc-runtime/agents/runService/ContinueRequest"
import { Errors, FlagText } from "@svc-runtime/api"
import * as Ids from "@svc-runtime/domain/Ids"
import * as RunOption from "@svc-runtime/domain/RunOption"
import { Effect, Schema } from "effect"
import type { FormBody } from "./FormBody.ts"
import {
  checkUnknown,
  jsonOptions,
  optionalField,
  optionFields,
  parsed,
  problem,
  refuseFilesInTexts
} from "./FormFields.ts"
import * as KnowledgeFilters from "./KnowledgeFilters.ts"

const Fields = Schema.Struct({
  session_id: Schema.optionalKey(Ids.IdInput),
  user_id: Schema.optionalKey(Ids.UserIdInput),
  tools: Schema.optionalKey(Schema.String),
  requirements: Schema.optionalKey(Schema.String),
  ...optionFields(RunOption.response),
  ...optionFields(RunOption.disconnect),
  input: Schema.optionalKey(Schema.String),
  additional_instructions: Schema.optionalKey(Schema.String),
  continue_from: Schema.optionalKey(Schema.String),
  fork: Schema.optionalKey(FlagText),
  regenerate: Schema.optionalKey(FlagText),
  replace_original: Schema.optionalKey(FlagText),
  ...optionFields(RunOption.given),
  ...optionFields(RunOption.inherited)
})
type Fields = typeof Fields.Type

/** The fields of the request, and the form of its response. */
export interface ContinueForm
  extends
    Omit<ContinueRequest, "component" | "caller" | "run_id" | "key">,
    RunOption.Values<typeof RunOption.httpResponse>
{}

const decodeFields = Schema.decodeUnknownEffect(Fields, { errors: "all" })
const names = new Set(Object.keys(Fields.fields))
const newRun = jsonOptions(RunOption.given)

const fromOf = (
  { continue_from: from = "end" }: Fields
): Effect.Effect<NonNullable<ContinueForm["fork"]>["from"], Errors.BadRequest> => {
  if (from === "end" || from === "last_user") return Effect.succeed(from)
  return /^\d{1,9}$/.test(from)
    ? Effect.succeed(Number(from))
    : Effect.fail(
      Errors.badRequest("Invalid continue_from. Use 'end', 'last_user', or a numeric message index.")
    )
}

const contradictionIn = (fields: Fields): string | undefined => {
  if (fields.regenerate === true && fields.fork === true) return "regenerate and fork cannot be used together"
  if (fields.replace_original !== undefined && fields.regenerate !== true) return "replace_original needs regenerate"
  if (fields.input !== undefined && fields.additional_instructions !== undefined) {
    return "input and additional_instructions are the same: give one of them"
  }
  return fields.regenerate === true && /^\d+$/.test(fields.continue_from ?? "")
    ? "regenerate cannot be used with a numeric continue_from"
    : undefined
}

export const decode = Effect.fnUntraced(function*({ fields: raw, files }: FormBody) {
  yield* refuseFilesInTexts({ files }, names)
  yield* checkUnknown(raw, names)
  const fields = yield* Effect.mapError(decodeFields(optionalField(raw)), problem)
  const contradiction = contradictionIn(fields)
  if (contradiction !== undefined) return yield* Errors.badRequest(contradiction)
  const form: ContinueForm = {
    session_id: fields.session_id,
    user_id: fields.user_id,
    decisions: { tools: yield* parsed("tools", fields), requirements: yield* parsed("requirements", fields) },
    input: fields.input ?? fields.additional_instructions,
    fork: {
      from: yield* fromOf(fields),
      fork: fields.fork ?? false,
      regenerate: fields.regenerate ?? false,
      replaceOriginal: fields.replace_original ?? true,
      ...RunOption.valuesOf(RunOption.inherited, { ...fields, ...yield* KnowledgeFilters.of(fields) }),
      ...yield* newRun(fields)
    },
    ...RunOption.valuesOf(RunOption.httpResponse, fields)
  }
  return form
})

// The form that continues a run of a workflow.

const WorkflowFields = Schema.Struct({
  session_id: Schema.optionalKey(Ids.IdInput),
  user_id: Schema.optionalKey(Ids.UserIdInput),
  ...optionFields(RunOption.workflowResponse),
  ...optionFields(RunOption.disconnect),
  requirements: Schema.optionalKey(Schema.String),
  step_requirements: Schema.optionalKey(Schema.String),
  error_requirements: Schema.optionalKey(Schema.String),
  factory_input: Schema.optionalKey(Schema.String)
})
const decodeWorkflowFields = Schema.decodeUnknownEffect(WorkflowFields, { errors: "all" })
const workflowNames = new Set(Object.keys(WorkflowFields.fields))

export const decodeWorkflow = Effect.fnUntraced(function*({ fields: raw, files }: FormBody) {
  yield* refuseFilesInTexts({ files }, workflowNames)
  yield* checkUnknown(raw, workflowNames)
  const fields = yield* Effect.mapError(decodeWorkflowFields(optionalField(raw)), problem)
  const form: ContinueForm = {
    session_id: fields.session_id,
    user_id: fields.user_id,
    factoryInput: FactoryInput.text(fields.factory_input),
    decisions: {
      requirements: yield* parsed("requirements", fields),
      step_requirements: yield* parsed("step_requirements", fields),
      error_requirements: yield* parsed("error_requirements", fields)
    },
    input: undefined,
    fork: undefined,
    ...RunOption.valuesOf(RunOption.httpResponse, fields)
  }
  return form
})
