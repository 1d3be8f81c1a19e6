// What the queries of lists are made of, beside texts and numbers as they are.
import { Effect, Schema } from "effect"
import { IntText } from "./IntText.ts"

export const atLeast = (minimum: number) => IntText.check(Schema.isGreaterThanOrEqualTo(minimum))

/** `value` is as it would be written in the query. */
export const withDefault = <S extends Schema.Top>(schema: S, value: S["Encoded"]) =>
  schema.pipe(Schema.withDecodingDefaultKey(Effect.succeed(value)))
