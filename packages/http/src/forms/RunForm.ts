// Decodes the form that starts a run. An invalid `message` or flag is refused with the name of the field. Options with
// invalid JSON text are dropped with a warning, as clients of this contract expect. Unknown fields are ignored.
import * as StructuredOutput from "@svc-runtime/agents/agent/execute/model/StructuredOutput"
import type * as RunOptions from "@svc-runtime/agents/runService/RunOptions"
import { Errors, IntText } from "@svc-runtime/api"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Media from "@svc-runtime/domain/Media"
import * as RunOption from "@svc-runtime/domain/RunOption"
import { NewId } from "@svc-runtime/engine/NewId"
import { fromJsonSchema } from "@svc-runtime/engine/schema/AnySchema"
import { Effect, type JsonSchema, Option, Schema } from "effect"
import type { FormBody } from "./FormBody.ts"
import {
  checkUnknown,
  decodeGiven,
  jsonOptions,
  optionalField,
  optionFields,
  problem,
  refuseFilesInTexts,
  warn
} from "./FormFields.ts"
import * as KnowledgeFilters from "./KnowledgeFilters.ts"
import * as Uploads from "./Uploads.ts"

const Fields = Schema.Struct({
  message: Schema.String,
  ...optionFields(RunOption.response),
  ...optionFields(RunOption.shared),
  ...optionFields(RunOption.answer),
  ...optionFields(RunOption.context),
  ...optionFields(RunOption.client),
  ...optionFields(RunOption.model),
  ...optionFields(RunOption.media),
  ...optionFields(RunOption.disconnect),
  ...optionFields(RunOption.start),
  session_id: Schema.optionalKey(Ids.IdInput),
  user_id: Schema.optionalKey(Ids.UserIdInput),
  run_id: Schema.optionalKey(Ids.IdInput),
  /** Of a stored component. One that is registered has no versions. */
  version: Schema.optionalKey(IntText),
  factory_input: Schema.optionalKey(Schema.String)
})
type Fields = typeof Fields.Type

export interface RunForm {
  readonly message: string
  readonly media: Media.Media
  readonly response: RunOption.Values<typeof RunOption.httpResponse>
  readonly session_id: string | undefined
  readonly user_id: Ids.UserId | undefined
  readonly run_id: string | undefined
  readonly version: number | undefined
  /** JSON text that is not decoded yet: the factory has its schema. */
  readonly factory_input: string | undefined
  readonly options: RunOptions.RunOptions
}

const decodeFields = decodeGiven(Fields, ["message"])
const names = new Set(Object.keys(Fields.fields))

const shared = jsonOptions(RunOption.shared)
const outputSchema = jsonOptions({ output_schema: RunOption.answer.output_schema })
const media = jsonOptions(RunOption.media)
const client = jsonOptions(RunOption.client)
const modelSettings = jsonOptions({ model_settings: RunOption.model.model_settings })

/** The fields that are sent and were dropped: they have their defaults. */
const unreadableOf = (fields: Fields, read: RunOption.Values<typeof RunOption.shared>) => {
  const unreadable = RunOption.namesOf(RunOption.shared).filter((name) =>
    fields[name] !== undefined && read[name] === RunOption.shared[name].default
  )
  return unreadable.length === 0 ? {} : { unreadable }
}

const unusable = "It has neither content nor an http(s) or data url: send the bytes as content"

const mediaOf = Effect.fnUntraced(function*(fields: Fields): Effect.fn.Return<Media.Media, Errors.Invalid> {
  const given = yield* media(fields)
  const problems = RunOption.namesOf(RunOption.media).flatMap((name) =>
    (given[name] ?? []).flatMap((item, index) =>
      Media.isUsable(item) ? [] : [{ loc: ["body", name, index], msg: unusable, type: "value_error" }]
    )
  )
  if (problems.length > 0) return yield* Errors.invalid(problems)
  const { audio, images, input_files, videos } = given
  return {
    ...(images === undefined ? {} : { images }),
    ...(audio === undefined ? {} : { audios: audio }),
    ...(videos === undefined ? {} : { videos }),
    ...(input_files === undefined ? {} : { files: input_files })
  }
})

const outputSchemaOf = Effect.fnUntraced(function*(fields: Fields) {
  const { output_schema } = yield* outputSchema(fields)
  if (output_schema === undefined) return undefined
  const shape = yield* Effect.option(Effect.try(() => fromJsonSchema(output_schema as JsonSchema.JsonSchema)))
  if (Option.isNone(shape)) {
    yield* warn(["The field 'output_schema' is dropped: it is not a JSON Schema"])
    return undefined
  }
  return fields.use_json_schema === true
    ? StructuredOutput.raw(shape.value)
    : StructuredOutput.named(shape.value)
})

export const decode = Effect.fnUntraced(function*(
  { fields: raw, files }: FormBody
): Effect.fn.Return<RunForm, Errors.Invalid | Errors.BadRequest> {
  const newId = yield* NewId
  yield* refuseFilesInTexts({ files }, names)
  yield* checkUnknown(raw, names)
  const fields = yield* Effect.mapError(decodeFields(optionalField(raw)), problem)
  const uploaded = yield* Uploads.toMedia(files, newId)
  const response = RunOption.valuesOf(RunOption.httpResponse, fields)
  const given = yield* shared(fields)
  return {
    message: fields.message,
    media: Uploads.merge(uploaded, yield* mediaOf(fields)),
    response,
    session_id: fields.session_id,
    user_id: fields.user_id,
    run_id: fields.run_id,
    version: fields.version,
    factory_input: fields.factory_input,
    options: {
      stream: response.stream,
      background: response.background,
      ...RunOption.valuesOf(RunOption.start, fields),
      ...RunOption.valuesOf(RunOption.context, { ...fields, ...yield* KnowledgeFilters.of(fields) }),
      ...yield* client(fields),
      model: fields.model,
      ...yield* modelSettings(fields),
      ...given,
      ...unreadableOf(fields, given),
      outputSchema: yield* outputSchemaOf(fields)
    }
  }
})
