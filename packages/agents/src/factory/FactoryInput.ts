// The `factory_input` of a request: text of a form or query, or a value of a message. It must be an object and match
// the factory's schema. Missing input is validated too, because a schema can have defaults. A run that the service
// resumes has the input of its start. A run that a caller continues has none, or that of its start.
import * as Json from "@svc-runtime/domain/Json"
import type { Shape } from "@svc-runtime/engine/schema/AnySchema"
import { Effect, Equal, Predicate } from "effect"
import { FactoryValidationError } from "./FactoryErrors.ts"

export type FactoryInput =
  | { readonly _tag: "Text"; readonly text: string | undefined }
  | { readonly _tag: "Value"; readonly value: unknown }
  | { readonly _tag: "None" }

/** Undefined: there is none. */
export const text = (text: string | undefined): FactoryInput => ({ _tag: "Text", text })
export const value = (value: unknown): FactoryInput => ({ _tag: "Value", value })
export const none: FactoryInput = { _tag: "None" }

/** The stored input of a run. */
export const ofRun = ({ command }: { readonly command: Json.Object | null }): FactoryInput => {
  const kept = command?.["factory_input"]
  return kept === undefined ? none : value(kept)
}

const isSent = (input: FactoryInput): boolean =>
  input._tag === "Text" ? input.text !== undefined : input._tag === "Value" && input.value !== undefined

/** Of a request that continues the run. An ended run keeps no input, so the factory of its fork gets null. */
export const ofContinued = (
  given: FactoryInput,
  run: { readonly command: Json.Object | null },
  whenMissing: "none" | "stored"
): FactoryInput => isSent(given) ? given : whenMissing === "stored" ? ofRun(run) : none

const invalid = (message: string) => new FactoryValidationError({ message: `factory_input ${message}` })

/** Bounds the length of messages, which callers could otherwise choose. */
const maxBytes = 1000
const shortened = (message: string) => message.length > maxBytes ? `${message.slice(0, maxBytes)}…` : message

const typeOf = (value: unknown): string => value === null ? "null" : Array.isArray(value) ? "array" : typeof value

const checked = (value: unknown): Effect.Effect<Json.Object, FactoryValidationError> => {
  if (!Predicate.isObject(value)) return Effect.fail(invalid(`must be a JSON object, got ${typeOf(value)}`))
  const refusal = Json.refusalOf(value as Json.Object)
  return refusal === undefined
    ? Effect.succeed(value as Json.Object)
    : Effect.fail(invalid(`validation failed: ${refusal.msg}`))
}

/** Undefined if there is none. */
const sent = (input: FactoryInput): Effect.Effect<Json.Object | undefined, FactoryValidationError> => {
  if (input._tag === "None") return Effect.undefined
  if (input._tag === "Value") return input.value === undefined ? Effect.undefined : checked(input.value)
  if (input.text === undefined) return Effect.undefined
  return Effect.fromOption(Json.parse(input.text)).pipe(
    Effect.mapError(() => invalid("must be valid JSON")),
    Effect.flatMap(checked)
  )
}

export interface Decoded {
  /** The value for the factory. */
  readonly input: unknown
  /** The original input. Undefined if there is none. */
  readonly object: Json.Object | undefined
}

export const decode = Effect.fnUntraced(function*(
  given: FactoryInput,
  schema: Shape<unknown> | undefined
): Effect.fn.Return<Decoded, FactoryValidationError> {
  const object = yield* sent(given)
  if (given._tag === "None" || schema === undefined) return { input: object ?? null, object }
  const fields = object ?? {}
  const input = yield* Effect.mapError(
    schema.decode(fields),
    ({ message }) => invalid(`validation failed: ${shortened(message)}`)
  )
  return { input, object: fields }
})

/** Whether the request sends another input than the run started with. What was decided was decided for that one. */
export const differs = (
  given: FactoryInput,
  run: { readonly command: Json.Object | null },
  schema: Shape<unknown> | undefined
): Effect.Effect<boolean, FactoryValidationError> =>
  isSent(given)
    ? Effect.map(
      decode(given, schema),
      ({ object = {} }) => !Equal.equals(object, run.command?.["factory_input"] ?? {})
    )
    : Effect.succeed(false)
