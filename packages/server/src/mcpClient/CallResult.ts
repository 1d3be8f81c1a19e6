// The result of a tool of an MCP server: a text for a model, and media.
import type * as Json from "@svc-runtime/domain/Json"
import * as JsonSchemaCheck from "@svc-runtime/domain/schema/JsonSchemaCheck"
import * as MediaResult from "@svc-runtime/engine/tool/MediaResult"
import { ToolFailed } from "@svc-runtime/engine/tool/Tool"
import { Predicate, Result, Schema } from "effect"

const text = Schema.optionalKey(Schema.String)

const Content = Schema.Struct({
  type: Schema.String,
  text,
  data: text,
  mimeType: text,
  uri: text,
  resource: Schema.optionalKey(Schema.Struct({ uri: text, text, blob: text, mimeType: text }))
})

export const CallResult = Schema.Struct({
  content: Schema.optionalKey(Schema.Array(Content)),
  structuredContent: Schema.optionalKey(Schema.Json),
  isError: Schema.optionalKey(Schema.Boolean)
})
export type CallResult = typeof CallResult.Type

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

export const of = (
  { content = [], isError = false, structuredContent }: CallResult,
  outputSchema: Json.Value | undefined
): Result.Result<string | MediaResult.MediaResult, ToolFailed> => {
  const shown = content.map(textOf).join("\n")
  const result = shown === "" && structuredContent !== undefined ? JSON.stringify(structuredContent) : shown
  if (isError) return failed(result === "" ? "The tool failed without a message" : result)
  const mismatch = mismatchOf(outputSchema, structuredContent)
  return mismatch === undefined
    ? Result.succeed(MediaResult.ofBase64(result, content.map(mediumOf)))
    : failed(`The tool was executed, but its result does not match its schema: ${mismatch}`)
}
