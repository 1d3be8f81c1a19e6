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
  name: text,
  title: text,
  description: text,
  resource: Schema.optionalKey(Schema.Struct({ uri: text, text, blob: text, mimeType: text }))
})

const Received = Schema.Struct({
  content: Schema.optionalKey(Schema.Array(Content)),
  structuredContent: Schema.optionalKey(Schema.Json),
  isError: Schema.optionalKey(Schema.Boolean)
})
export type Received = typeof Received.Type

export const decode = Schema.decodeUnknownEffect(Received)

/** Of bytes that cannot be stored. */
const media = (type: string, mimeType: string | undefined, data: string): string =>
  `[${mimeType ?? type}, ${Math.floor(data.length * 3 / 4)} bytes]`

/** A link to a resource: what it is called, where it is, and what it is. */
const linkOf = (uri: string, { description, name, title = name }: typeof Content.Type): string =>
  `${title === undefined ? uri : `${title} (${uri})`}${description === undefined ? "" : `: ${description}`}`

const textOf = (content: typeof Content.Type): string => {
  const { data, mimeType, resource, text, type, uri } = content
  if (text !== undefined) return text
  if (data !== undefined) return media(type, mimeType, data)
  if (resource?.text !== undefined) return resource.text
  if (resource?.blob !== undefined) return media(type, resource.mimeType, resource.blob)
  return uri === undefined ? resource?.uri ?? `[${type}]` : linkOf(uri, content)
}

const partOf = (content: typeof Content.Type): MediaResult.Part => {
  const { data, mimeType, resource } = content
  const text = textOf(content)
  return data === undefined
    ? { text, data: resource?.blob, mediaType: resource?.mimeType }
    : { text, data, mediaType: mimeType }
}

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

const shownOf = (
  shows: Shows,
  content: Received["content"] = [],
  structured: Json.Value | undefined
): ReadonlyArray<MediaResult.Part> => {
  const parts = content.map(partOf)
  const texts = parts.map(({ text }) => text)
  const isEmpty = texts.join("") === ""
  if (structured === undefined || (shows === "content" && !isEmpty)) return parts
  const json: MediaResult.Part = { text: JSON.stringify(structured) }
  if (shows === "structured" || isEmpty) return [json, ...parts.filter(({ data }) => data !== undefined)]
  return isSame(texts, structured) ? parts : [...parts, json]
}

export const toResult = (
  shows: Shows,
  { content = [], isError = false, structuredContent }: Received,
  outputSchema: Json.Value | undefined
): Result.Result<string | MediaResult.MediaResult, ToolFailed> => {
  const parts = shownOf(shows, content, structuredContent)
  const text = parts.map(({ text }) => text).join("\n")
  if (isError) return failed(text === "" ? "The tool failed without a message" : text)
  const mismatch = mismatchOf(outputSchema, structuredContent)
  return mismatch === undefined
    ? Result.succeed(MediaResult.ofParts(parts))
    : failed(`The tool was executed, but its result does not match its schema: ${mismatch}`)
}
