// From a model's text to the object that was asked for. Text that does not fit stays text: the caller sees what the
// model said, and `content_type` says that it is not the object.
import type { Json } from "@svc/domain"
import { Effect, Schema } from "effect"
import type { ResponseFormat } from "../model/Model.ts"
import type { Shape } from "../schema/AnySchema.ts"

export interface OutputSchema {
  readonly shape: Shape<unknown>
  /** What `content_type` says of an answer that fits: the title of the schema, or `dict` for a raw one. */
  readonly contentType: string
}

export const named = (shape: Shape<unknown>): OutputSchema => ({ shape, contentType: shape.title ?? "DynamicModel" })
export const raw = (shape: Shape<unknown>): OutputSchema => ({ shape, contentType: "dict" })

/** A name that every provider accepts. */
const formatName = (schema: OutputSchema): string =>
  (schema.shape.title ?? "answer").replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64)

const textFormat: ResponseFormat = { type: "text" }

export const formatOf = (schema: OutputSchema | undefined): ResponseFormat =>
  schema === undefined
    ? textFormat
    : { type: "json", name: formatName(schema), schema: schema.shape.jsonSchema }

const decodeJson = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Json))

const fence = "```"

/** Models without structured output tend to put JSON into a fence. */
const unfenced = (text: string): string => {
  const trimmed = text.trim()
  if (!trimmed.startsWith(fence) || !trimmed.endsWith(fence)) return text
  const firstLine = trimmed.indexOf("\n")
  return firstLine === -1 ? text : trimmed.slice(firstLine, -fence.length)
}

export interface Content {
  readonly content: Json.Value
  readonly contentType: string
}

export const textContent = (text: string): Content => ({ content: text, contentType: "str" })

export const contentOf = (schema: OutputSchema | undefined, text: string): Effect.Effect<Content> => {
  if (schema === undefined) return Effect.succeed(textContent(text))
  return decodeJson(unfenced(text)).pipe(
    Effect.tap((value) => schema.shape.decode(value)),
    Effect.map((content) => ({ content, contentType: schema.contentType })),
    Effect.catch((error) =>
      Effect.as(
        Effect.logWarning("The answer does not fit the output schema and stays text", error.message),
        textContent(text)
      )
    )
  )
}
