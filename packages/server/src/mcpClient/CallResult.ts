// The result of a tool of an MCP server: a text for a model, and media.
import * as Json from "@svc-runtime/domain/Json"
import * as JsonSchemaCheck from "@svc-runtime/domain/schema/JsonSchemaCheck"
import * as MediaResult from "@svc-runtime/engine/tool/MediaResult"
import { ToolFailed } from "@svc-runtime/engine/tool/Tool"
import { Equal, Option, Predicate, Result, Schema } from "effect"

const text = Schema.optionalKey(Schema.String)

const Content = Schema.Struct({
  type: Schema.String,
  text,
  data: text,
  mimeType: text,
  uri: text,
  resource: Schema.optionalKey(Schema.Struct({ uri: text, text, blob: text, mimeType: text }))
})

const Received = Schema.Struct({
  content: Schema.optionalKey(Schema.Array(Content)),
  structuredContent: Schema.optionalKey(Schema.Json),
  isError: Schema.optionalKey(Schema.Boolean)
})
export type Received = typeof Received.Type

export const decode = Schema.decodeUnknownEffect(Received)

/** Models get no bytes: they read what there is. */
const media = (type: string, mimeType: string | undefined, data: string): string =>
  `[${mimeType ?? type}, ${Math.floor(data.length * 3 / 4)} bytes]`

const textOf = ({ data, mimeType, resource, text, type, uri }: typeof Content.Type): string => {
  if (text !== undefined) return text
  if (data !== undefined) return media(type, mimeType, data)
  if (resource?.text !== undefined) return resource.text
  if (resource?.blob !== undefined) return media(type, resource.mimeType, resource.blob)
  return uri ?? resource?.uri ?? `[${type}]`
}

const mediumOf = ({ data, mimeType, resource }: typeof Content.Type) =>
  data === undefined
    ? { data: resource?.blob, mediaType: resource?.mimeType }
    : { data, mediaType: mimeType }

/** Why structured content does not fit the schema that the server has declared. Undefined: it does. */
const mismatchOf = (schema: Json.Value | undefined, content: Json.Value | undefined): string | undefined => {
  if (!Predicate.isObject(schema)) return undefined
  if (content === undefined) return "it is missing"
  const check = Result.try(() => JsonSchemaCheck.make(schema))
  if (Result.isFailure(check)) return "the schema cannot be read"
  const verdict = check.success(content)
  if (verdict._tag === "Exceeded") return `the check takes more than ${verdict.limit}`
  const [issue] = verdict.issues
  return issue === undefined ? undefined : [...issue.path, issue.message].join(": ")
}

const failed = (message: string) => Result.fail(new ToolFailed({ message, cause: undefined }))

/** What of a result a model reads. `both`: the structured content after the content, unless that says the same. */
export const shows = ["both", "content", "structured"] as const
export type Shows = typeof shows[number]

/** The values that texts can stand for: one value, as text or as JSON, or a list of values. */
const meanings = (texts: ReadonlyArray<string>): ReadonlyArray<Json.Value> => {
  const joined = texts.join("\n")
  const values = texts.map((each) => Option.getOrElse(Json.parse(each), () => each))
  return [joined, ...Option.toArray(Json.parse(joined)), values]
}

/** Many servers wrap a value that is no object: `{"result": value}`. */
const isSame = (texts: ReadonlyArray<string>, structured: Json.Value): boolean => {
  const wrapped = Json.isObject(structured) && Object.keys(structured).length === 1 ? structured["result"] : undefined
  return meanings(texts).some((value) => Equal.equals(value, structured) || Equal.equals(value, wrapped))
}

const shownOf = (shows: Shows, content: Received["content"] = [], structured: Json.Value | undefined): string => {
  const texts = content.map(textOf)
  const shown = texts.join("\n")
  if (structured === undefined || (shows === "content" && shown !== "")) return shown
  const json = JSON.stringify(structured)
  if (shows === "structured" || shown === "") return json
  return isSame(texts, structured) ? shown : `${shown}\n${json}`
}

export const toResult = (
  shows: Shows,
  { content = [], isError = false, structuredContent }: Received,
  outputSchema: Json.Value | undefined
): Result.Result<string | MediaResult.MediaResult, ToolFailed> => {
  const result = shownOf(shows, content, structuredContent)
  if (isError) return failed(result === "" ? "The tool failed without a message" : result)
  const mismatch = mismatchOf(outputSchema, structuredContent)
  return mismatch === undefined
    ? Result.succeed(MediaResult.ofBase64(result, content.map(mediumOf)))
    : failed(`The tool was executed, but its result does not match its schema: ${mismatch}`)
}
