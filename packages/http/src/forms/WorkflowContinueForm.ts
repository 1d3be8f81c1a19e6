// The form that continues a run of a workflow.
import * as FactoryInput from "@svc-runtime/agents/factory/FactoryInput"
import * as Ids from "@svc-runtime/domain/Ids"
import * as RunOption from "@svc-runtime/domain/RunOption"
import { Effect, Schema } from "effect"
import type { ContinueForm } from "./ContinueForm.ts"
import type { FormBody } from "./FormBody.ts"
import { optionalField, optionFields, parsed, problem } from "./FormFields.ts"
import * as MisspeltFields from "./MisspeltFields.ts"
import * as TextFields from "./TextFields.ts"

const Fields = Schema.Struct({
  session_id: Schema.optionalKey(Ids.IdInput),
  user_id: Schema.optionalKey(Ids.UserIdInput),
  ...optionFields(RunOption.workflowResponse),
  ...optionFields(RunOption.disconnect),
  requirements: Schema.optionalKey(Schema.String),
  step_requirements: Schema.optionalKey(Schema.String),
  error_requirements: Schema.optionalKey(Schema.String),
  factory_input: Schema.optionalKey(Schema.String)
})
const decodeFields = Schema.decodeUnknownEffect(Fields, { errors: "all" })
const names = new Set(Object.keys(Fields.fields))

export const decode = Effect.fnUntraced(function*({ fields: raw, files }: FormBody) {
  yield* TextFields.check({ files }, names)
  yield* MisspeltFields.warn(raw, names)
  const fields = yield* Effect.mapError(decodeFields(optionalField(raw)), problem)
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
