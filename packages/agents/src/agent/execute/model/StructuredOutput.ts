// Parses a model's text into the requested object. Text that does not match stays text, and `content_type` shows that.
import * as Json from "@svc-runtime/domain/Json"
import type { Mismatch, Shape } from "@svc-runtime/engine/schema/AnySchema"
import type { ResponseFormat } from "@svc-runtime/models/Model"
import { Effect, Schema } from "effect"
import type { OutputSchema } from "../../define/AgentRunOptions.ts"

export type { OutputSchema }

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

const parse = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))
// recursion over a deeply nested answer would overflow the stack
const decodeJson = (text: string) =>
  Effect.filterOrFail(
    parse(text),
    (value): value is Json.Value => Json.isShallow(value as Json.Value),
    () => ({ message: "It is nested too deep" })
  )

const fence = "```"

/** Models without structured output often wrap JSON in a code fence. */
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

/** A check that exceeds its budget fails the run, because it is unknown whether the answer matches. */
export class OutputUnchecked extends Schema.TaggedError<OutputUnchecked>()("OutputUnchecked", {
  reason: Schema.String
}) {
  override get message() {
    return `The answer cannot be checked against output_schema. ${this.reason}`
  }
}

const checked = (shape: Shape<unknown>, value: Json.Value): Effect.Effect<unknown, Mismatch | OutputUnchecked> =>
  Effect.mapError(
    shape.decode(value),
    (mismatch) => mismatch.isUnfinished === true ? new OutputUnchecked({ reason: mismatch.message }) : mismatch
  )

/** The value of an answer that fits. */
export const valueOf = (
  schema: OutputSchema,
  text: string
): Effect.Effect<Json.Value, { readonly message: string }> =>
  Effect.tap(decodeJson(unfenced(text)), (value) => checked(schema.shape, value))

/** What is wrong with the text. Undefined: it fits, or cannot be checked. */
export const problemOf = (schema: OutputSchema, text: string): Effect.Effect<string | undefined> =>
  Effect.match(valueOf(schema, text), {
    onSuccess: () => undefined,
    onFailure: (error) => error instanceof OutputUnchecked ? undefined : error.message
  })

/** Of a problem, for the model. */
const problemLimit = 2000

export const correctionOf = (problem: string): string =>
  `The answer does not fit the schema: ${
    problem.slice(0, problemLimit)
  }\nAnswer again with JSON that fits, and nothing else.`

export const contentOf = (
  schema: OutputSchema | undefined,
  text: string
): Effect.Effect<Content, OutputUnchecked> => {
  if (schema === undefined) return Effect.succeed(textContent(text))
  return valueOf(schema, text).pipe(
    Effect.map((content) => ({ content, contentType: schema.contentType })),
    Effect.catch((error) =>
      error instanceof OutputUnchecked
        ? Effect.fail(error)
        : Effect.as(
          Effect.logWarning("The answer does not fit the output schema and stays text", error.message),
          textContent(text)
        )
    )
  )
}
