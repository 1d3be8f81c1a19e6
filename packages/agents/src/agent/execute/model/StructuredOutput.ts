// Parses a model's text into the requested object. Text that does not match stays text, and `content_type` shows that.
import * as Json from "@svc-runtime/domain/Json"
import type { Mismatch, Shape } from "@svc-runtime/engine/schema/AnySchema"
import * as AnswerSchema from "@svc-runtime/models/AnswerSchema"
import type { ResponseFormat } from "@svc-runtime/models/RequestOptions"
import { Effect, Result, Schema } from "effect"
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
    : { type: "json", name: formatName(schema), schema: AnswerSchema.wrapped(schema.shape.jsonSchema) }

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

/** So many values within a text are tried. */
const maxWithin = 8

/** The objects and lists within a text, in their order. It reads the text once. */
const within = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let [start, depth, isText] = [0, 0, false]
  for (let index = 0; index < text.length && found.length < maxWithin; index++) {
    const character = text[index]
    if (isText && character === "\\") index++
    else if (depth > 0 && character === "\"") isText = !isText
    else if (!isText && (character === "{" || character === "[")) {
      if (depth++ === 0) start = index
    } else if (depth > 0 && !isText && (character === "}" || character === "]") && --depth === 0) {
      found.push(text.slice(start, index + 1))
    }
  }
  return found
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

/** The value that a text stands for: the schema of a root that is no object was sent as one object. */
const fitting = Effect.fnUntraced(function*({ shape }: OutputSchema, text: string) {
  const value = yield* decodeJson(text)
  const inner = AnswerSchema.unwrapped(shape.jsonSchema, value) as Json.Value | undefined
  if (inner !== undefined && Result.isSuccess(yield* Effect.result(checked(shape, inner)))) return inner
  yield* checked(shape, value)
  return value
})

export interface Found {
  readonly value: Json.Value
  /** It was taken out of a fence or of prose. */
  readonly isTakenOut: boolean
}

type Problem = { readonly message: string }

/** The value of an answer that fits: the whole text, or the first value within it that does. */
export const valueOf = Effect.fnUntraced(function*(
  schema: OutputSchema,
  text: string
): Effect.fn.Return<Found, Problem> {
  const whole = unfenced(text)
  const first = yield* Effect.result(fitting(schema, whole))
  if (Result.isSuccess(first)) return { value: first.success, isTakenOut: whole !== text }
  let problem: Problem = first.failure
  if (problem instanceof OutputUnchecked) return yield* Effect.fail(problem)
  for (const part of within(whole)) {
    if (part === whole.trim()) break
    const next = yield* Effect.result(fitting(schema, part))
    if (Result.isSuccess(next)) return { value: next.success, isTakenOut: true }
    if (next.failure instanceof OutputUnchecked) return yield* Effect.fail(next.failure)
    // what is wrong with the value says more than that the text is no JSON
    if ("issues" in next.failure) problem = next.failure
  }
  return yield* Effect.fail(problem)
})

/** Of a problem, for the model. */
const problemLimit = 2000

/** The same request would be cut off at the same place. */
export const cutCorrection =
  "Your answer was cut off at its token limit. Answer again with shorter JSON that fits the " +
  "schema, and nothing else."

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
    Effect.map(({ value }) => ({ content: value, contentType: schema.contentType })),
    Effect.catch((error) =>
      error instanceof OutputUnchecked
        ? Effect.fail(error)
        : Effect.as(
          Effect.logWarning(`The answer does not fit the output schema and stays text: ${error.message}`),
          textContent(text)
        )
    )
  )
}
