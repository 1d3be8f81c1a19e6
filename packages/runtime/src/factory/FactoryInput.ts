// What a request brings for a factory: text of a form or a query, or a value of a message. It has to be an object, and to
// fit the factory's schema where there is one; a schema is asked even if nothing was sent, because it may have defaults.
// Whoever goes on with a run of an agent or a team sends none, and then the factory gets null whatever its schema says.
import { Json } from "@svc/domain"
import { Effect, Predicate, Schema } from "effect"
import type { Shape } from "../schema/AnySchema.ts"
import { FactoryValidationError } from "./FactoryErrors.ts"

export type FactoryInput =
  | { readonly _tag: "Text"; readonly text: string | undefined }
  | { readonly _tag: "Value"; readonly value: unknown }
  | { readonly _tag: "None" }

/** Undefined: nothing was sent. */
export const text = (text: string | undefined): FactoryInput => ({ _tag: "Text", text })
export const value = (value: unknown): FactoryInput => ({ _tag: "Value", value })
export const none: FactoryInput = { _tag: "None" }

/** What a run was begun with, when it goes on by itself: nobody is there who could send anything. */
export const ofRun = ({ command }: { readonly command: Json.Object | null }): FactoryInput => {
  const kept = command?.["factory_input"]
  return kept === undefined ? none : value(kept)
}

const parse = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Json))
const isJson = Schema.is(Json.InputValue)

const invalid = (message: string) => new FactoryValidationError({ message: `factory_input ${message}` })

/** More of a message would help nobody, and a caller must not be able to ask for it. */
const maxBytes = 1000
const shortened = (message: string) => message.length > maxBytes ? `${message.slice(0, maxBytes)}…` : message

const typeOf = (value: unknown): string => value === null ? "null" : Array.isArray(value) ? "array" : typeof value

const checked = (value: unknown): Effect.Effect<Json.Object, FactoryValidationError> => {
  if (!Predicate.isObject(value)) return Effect.fail(invalid(`must be a JSON object, got ${typeOf(value)}`))
  return isJson(value)
    ? Effect.succeed(value as Json.Object)
    : Effect.fail(invalid("validation failed: it is nested too deep"))
}

/** Undefined when nothing was. */
const sent = (input: FactoryInput): Effect.Effect<Json.Object | undefined, FactoryValidationError> => {
  if (input._tag === "None") return Effect.undefined
  if (input._tag === "Value") return input.value === undefined ? Effect.undefined : checked(input.value)
  if (input.text === undefined) return Effect.undefined
  return parse(input.text).pipe(
    Effect.mapError(() => invalid("must be valid JSON")),
    Effect.flatMap(checked)
  )
}

export interface Decoded {
  /** As the factory gets it. */
  readonly input: unknown
  /** What that was made of. Undefined when of nothing. */
  readonly object: Json.Object | undefined
}

export const decode = Effect.fnUntraced(function*(
  given: FactoryInput,
  schema: Shape<unknown> | undefined
): Effect.fn.Return<Decoded, FactoryValidationError> {
  const object = yield* sent(given)
  if (given._tag === "None" || schema === undefined) return { input: object ?? null, object }
  const asked = object ?? {}
  const input = yield* Effect.mapError(
    schema.decode(asked),
    ({ message }) => invalid(`validation failed: ${shortened(message)}`)
  )
  return { input, object: asked }
})
