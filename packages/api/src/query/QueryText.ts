// Query parameters of lists, besides plain texts and numbers.
import { Effect, Schema, SchemaGetter } from "effect"
import { IntText } from "./IntText.ts"

export const atLeast = (minimum: number) => IntText.check(Schema.isGreaterThanOrEqualTo(minimum))

/** Adds a default value, in the format of the query. */
export const withDefault = <S extends Schema.Top>(schema: S, value: S["Encoded"]) =>
  schema.pipe(Schema.withDecodingDefaultKey(Effect.succeed(value)))

/** The first value of a parameter that may be repeated. */
export const first = Schema.Union([Schema.String, Schema.NonEmptyArray(Schema.String)]).pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform((value) => typeof value === "string" ? value : value[0]),
    encode: SchemaGetter.transform((value) => value)
  })
)
