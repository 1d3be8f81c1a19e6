// Decodes the form that starts a run. An invalid `message` or flag is refused with the name of the field. Options with
// invalid JSON text are dropped with a warning, as clients of this contract expect. Unknown fields are ignored.
import { type Errors, FlagText, IntText } from "@svc/api"
import * as Ids from "@svc/domain/Ids"
import * as Json from "@svc/domain/Json"
import * as Media from "@svc/domain/Media"
import * as RunOption from "@svc/domain/RunOption"
import * as StructuredOutput from "@svc/runtime/agent/StructuredOutput"
import { NewId } from "@svc/runtime/NewId"
import { fromJsonSchema } from "@svc/runtime/schema/AnySchema"
import type * as RunOptions from "@svc/runtime/service/RunOptions"
import { Effect, type JsonSchema, Option, Schema } from "effect"
import type { FormBody } from "./FormBody.ts"
import { json, optionalField, optionFields, problem } from "./FormFields.ts"
import * as Uploads from "./Uploads.ts"

const Fields = Schema.Struct({
  message: Schema.String,
  ...optionFields(RunOption.response),
  use_json_schema: Schema.optionalKey(FlagText),
  ...optionFields(RunOption.context),
  ...optionFields(RunOption.disconnect),
  ...optionFields(RunOption.start),
  session_id: Schema.optionalKey(Ids.IdInput),
  user_id: Schema.optionalKey(Ids.UserIdInput),
  run_id: Schema.optionalKey(Ids.IdInput),
  /** Of a stored agent; one that is registered has no versions. */
  version: Schema.optionalKey(IntText),
  factory_input: Schema.optionalKey(Schema.String),
  session_state: Schema.optionalKey(Schema.String),
  dependencies: Schema.optionalKey(Schema.String),
  metadata: Schema.optionalKey(Schema.String),
  output_schema: Schema.optionalKey(Schema.String),
  images: Schema.optionalKey(Schema.String),
  audio: Schema.optionalKey(Schema.String),
  videos: Schema.optionalKey(Schema.String),
  input_files: Schema.optionalKey(Schema.String)
})
type Fields = typeof Fields.Type

export interface RunForm {
  readonly message: string
  readonly media: Media.Media
  readonly response: RunOption.Values<typeof RunOption.answering>
  readonly session_id: string | undefined
  readonly user_id: Ids.UserId | undefined
  readonly run_id: string | undefined
  /** JSON text that is not checked yet: only a factory knows what it has to be. */
  readonly factory_input: string | undefined
  readonly options: RunOptions.RunOptions
}

const decodeFields = Schema.decodeUnknownEffect(Fields, { errors: "all" })

const sessionState = json("session_state", Json.Input)
const dependencies = json("dependencies", Json.Input)
const metadata = json("metadata", Json.Input)
const outputSchema = json("output_schema", Json.Input)
const images = json("images", Schema.Array(Media.Image))
const audio = json("audio", Schema.Array(Media.Audio))
const videos = json("videos", Schema.Array(Media.Video))
const inputFiles = json("input_files", Schema.Array(Media.File))

const mediaOf = Effect.fnUntraced(function*(fields: Fields) {
  const given: Media.Media = {
    ...listed("images", yield* images(fields)),
    ...listed("audios", yield* audio(fields)),
    ...listed("videos", yield* videos(fields)),
    ...listed("files", yield* inputFiles(fields))
  }
  return given
})

const listed = <K extends keyof Media.Media>(
  kind: K,
  items: Option.Option<Media.Media[K]>
): Pick<Media.Media, K> | {} => Option.isSome(items) ? { [kind]: items.value } : {}

const outputSchemaOf = Effect.fnUntraced(function*(fields: Fields) {
  const schema = yield* outputSchema(fields)
  if (Option.isNone(schema)) return undefined
  const shape = yield* Effect.option(Effect.try(() => fromJsonSchema(schema.value as JsonSchema.JsonSchema)))
  if (Option.isNone(shape)) {
    yield* Effect.logWarning("The form field 'output_schema' is dropped: it is not a JSON Schema")
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
  const fields = yield* Effect.mapError(decodeFields(optionalField(raw)), problem)
  const uploaded = yield* Uploads.toMedia(files, newId)
  const response = RunOption.valuesOf(RunOption.answering, fields)
  return {
    message: fields.message,
    media: Uploads.merge(uploaded, yield* mediaOf(fields)),
    response,
    session_id: fields.session_id,
    user_id: fields.user_id,
    run_id: fields.run_id,
    factory_input: fields.factory_input,
    options: {
      stream: response.stream,
      background: response.background,
      ...RunOption.valuesOf(RunOption.start, fields),
      ...RunOption.valuesOf(RunOption.context, fields),
      session_state: Option.getOrUndefined(yield* sessionState(fields)),
      dependencies: Option.getOrElse(yield* dependencies(fields), () => ({})),
      metadata: Option.getOrUndefined(yield* metadata(fields)),
      outputSchema: yield* outputSchemaOf(fields)
    }
  }
})
