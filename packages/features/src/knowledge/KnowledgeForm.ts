// Decodes the forms of contents. An empty value is absent. Metadata that is no JSON object is stored as a value.
import { Errors } from "@svc-runtime/api"
import * as Json from "@svc-runtime/domain/Json"
import type { FormBody, UploadedFile } from "@svc-runtime/http/forms/FormBody"
import { problem } from "@svc-runtime/http/forms/FormFields"
import { Effect, Option, Schema } from "effect"
import * as ContentSource from "./ContentSource.ts"
import type * as ContentUpload from "./ContentUpload.ts"
import type { Chunking, Reading } from "./DocumentReading.ts"
import * as Content from "./Knowledge.ts"
import type { Knowledge } from "./KnowledgeBase.ts"
import * as KnowledgeForms from "./KnowledgeForms.ts"

const decodeContent = Schema.decodeUnknownEffect(KnowledgeForms.ContentForm, { errors: "all" })
const decodeRemote = Schema.decodeUnknownEffect(KnowledgeForms.RemoteContentForm, { errors: "all" })
const decodePatch = Schema.decodeUnknownEffect(KnowledgeForms.ContentPatchForm, { errors: "all" })

const given = (fields: FormBody["fields"]) =>
  Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== ""))

const invalid = (field: string, msg: string, type: string) => Errors.invalid([{ loc: ["body", field], msg, type }])

const maxUrlLength = 2000

const isObject = (value: Json.Value): value is Json.Object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const metadataTooLong = invalid("metadata", Content.metadataTooLong, "too_long")

const limited = (value: Json.Object): Effect.Effect<Json.Object, Errors.Invalid> => {
  if (!Json.isShallow(value)) return Effect.fail(invalid("metadata", Json.tooDeep, "json_too_deep"))
  return Content.isShort(value) ? Effect.succeed(value) : Effect.fail(metadataTooLong)
}

/** Of an upload. */
const metadataOf = (text: string | undefined): Effect.Effect<Json.Object | undefined, Errors.Invalid> => {
  if (text === undefined) return Effect.undefined
  const parsed = Json.parse(text)
  return limited(Option.isSome(parsed) && isObject(parsed.value) ? parsed.value : { value: text })
}

const urlOf = (url: string): Effect.Effect<string, Errors.Invalid> => {
  if (url.length > maxUrlLength) {
    return Effect.fail(invalid("url", `URL should have at most ${maxUrlLength} characters`, "string_too_long"))
  }
  const isMany = Option.exists(Json.parse(url), (value) => Array.isArray(value))
  return isMany
    ? Effect.fail(invalid("url", "Input should be one URL: upload each URL on its own", "string_type"))
    : Effect.succeed(url)
}

const sourceOf = Effect.fnUntraced(function*(
  { text_content, url }: KnowledgeForms.ContentForm,
  files: ReadonlyArray<UploadedFile>
): Effect.fn.Return<ContentUpload.UploadSource, Errors.Invalid> {
  const [file, ...others] = files.filter(({ field }) => field === "file")
  if (others.length > 0) return yield* invalid("file", "A content is one file: upload each file on its own", "too_long")
  if (text_content !== undefined) return { _tag: "Text", text: text_content }
  if (file !== undefined && Math.max(file.name.length, file.contentType.length) > KnowledgeForms.limits.name) {
    const message = `The name and the type of a file should have at most ${KnowledgeForms.limits.name} characters`
    return yield* invalid("file", message, "string_too_long")
  }
  if (file !== undefined) return { _tag: "File", bytes: file.bytes, name: file.name, type: file.contentType }
  return url === undefined ? { _tag: "Nothing" } : { _tag: "Url", url: yield* urlOf(url) }
})

const chunkingOf = Effect.fnUntraced(function*(
  { chunk_overlap, chunk_size, chunker }: Pick<KnowledgeForms.ContentForm, "chunk_overlap" | "chunk_size" | "chunker">,
  knowledge: Knowledge,
  reading: Reading
) {
  const chunking: Chunking = {
    chunker: chunker ?? knowledge.chunker,
    chunk_size: chunk_size ?? knowledge.chunkSize,
    chunk_overlap: chunk_overlap ?? knowledge.chunkOverlap
  }
  const found = reading.chunkingProblem(chunking)
  return found === undefined ? chunking : yield* invalid("chunker", found, "value_error")
})

export const content = (knowledge: Knowledge, reading: Reading) =>
  Effect.fnUntraced(function*({ fields, files }: FormBody) {
    // a file without a name that a browser sends is text in a field
    const form = yield* Effect.mapError(decodeContent(given(fields)), problem)
    const upload: Omit<ContentUpload.Upload, "user_id"> = {
      name: form.name,
      description: form.description,
      metadata: yield* metadataOf(form.metadata),
      source: yield* sourceOf(form, files),
      reader_id: form.reader_id === undefined ? undefined : reading.findReader(form.reader_id)?.id,
      chunking: yield* chunkingOf(form, knowledge, reading)
    }
    return upload
  })

/** The parameters of a source are an object. */
const paramsOf = Effect.fnUntraced(function*(text: string | undefined) {
  if (text === undefined) return {}
  const parsed = Json.parse(text)
  if (Option.isNone(parsed)) return yield* Errors.badRequest("source_params must be a valid JSON object")
  return isObject(parsed.value)
    ? parsed.value
    : yield* Errors.badRequest("source_params must be a JSON object")
})

const listOf = (names: ReadonlyArray<string>): string => `[${names.map((name) => `'${name}'`).join(", ")}]`

/** The longest value of a parameter. */
const maxParamLength = 512

const checkedParams = Effect.fnUntraced(function*(source: ContentSource.Source, given: Json.Object) {
  const unknown = Object.keys(given).filter((name) => !source.params.includes(name))
  if (unknown.length > 0) {
    return yield* Errors.badRequest(
      source.params.length === 0
        ? `Source type '${source.type}' does not accept source_params.`
        : `Unknown source_params for ${source.type}: ${listOf(unknown)}. Allowed: ${listOf(source.params)}.`
    )
  }
  const params: Record<string, string> = {}
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== "string" || value.length > maxParamLength || !value.isWellFormed() || value.includes("\0")) {
      return yield* Errors.badRequest(`source_params.${name} must be a text of at most ${maxParamLength} characters`)
    }
    params[name] = value
  }
  const problem = source.paramsProblem?.(params)
  return problem === undefined ? params : yield* Errors.badRequest(`source_params: ${problem}`)
})

/** A file of a source, or a folder of it. The uploads of its files have the same options. */
export const remote = (knowledge: Knowledge, reading: Reading) =>
  Effect.fnUntraced(function*({ fields }: FormBody) {
    const form = yield* Effect.mapError(decodeRemote(given(fields)), problem)
    const { config_id, path } = form
    const named = yield* paramsOf(form.source_params)
    const source = knowledge.sources.find(({ id }) => id === config_id)
    if (source === undefined) {
      return yield* Errors.badRequest(
        `Unknown content source: ${config_id}. Check /knowledge/config for available sources.`
      )
    }
    const params = yield* checkedParams(source, named)
    const found = ContentSource.pathProblem(source, path)
    if (found !== undefined) return yield* invalid("path", found, "value_error")
    const remote = { _tag: "Remote", source_id: source.id, source_type: source.type, path, params } as const
    const upload: Omit<ContentUpload.Upload, "user_id"> = {
      name: form.name ?? path,
      description: form.description,
      metadata: yield* metadataOf(form.metadata),
      source: remote,
      reader_id: form.reader_id === undefined ? undefined : reading.findReader(form.reader_id)?.id,
      chunking: yield* chunkingOf(form, knowledge, reading)
    }
    return { source, path, remote, upload }
  })

const patchedMetadata = Effect.fnUntraced(function*(text: string | undefined) {
  if (text === undefined) return undefined
  const parsed = Json.parse(text)
  if (Option.isNone(parsed)) return yield* Errors.badRequest("Invalid JSON format for metadata")
  if (!isObject(parsed.value)) return yield* invalid("metadata", "Input should be a valid object", "dict_type")
  return yield* limited(parsed.value)
})

export const patch = (reading: Reading) =>
  Effect.fnUntraced(function*({ fields }: FormBody) {
    const { description, metadata, name, reader_id } = yield* Effect.mapError(decodePatch(given(fields)), problem)
    if (reader_id !== undefined && reading.findReader(reader_id) === undefined) {
      return yield* Errors.badRequest(`Invalid reader_id: ${reader_id}`)
    }
    return { name, description, metadata: yield* patchedMetadata(metadata) }
  })
