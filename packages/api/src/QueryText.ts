// Query parameters of lists, besides plain texts and numbers.
import { Effect, Schema } from "effect"
import { IntText } from "./IntText.ts"

export const atLeast = (minimum: number) => IntText.check(Schema.isGreaterThanOrEqualTo(minimum))

/** `value` is in the format of the query. */
export const withDefault = <S extends Schema.Top>(schema: S, value: S["Encoded"]) =>
  schema.pipe(Schema.withDecodingDefaultKey(Effect.succeed(value)))
