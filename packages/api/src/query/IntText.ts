// An integer in queries and forms: a sign and digits only. JavaScript also accepts `0x10`, `1e3` and the empty text,
// which are mistakes.
import { Schema, SchemaTransformation } from "effect"

const isIntText = Schema.makeFilter((text: string) => /^[+-]?\d+$/.test(text) && Number.isSafeInteger(Number(text)), {
  message: "Input should be a valid integer, unable to parse string as an integer",
  problem: "int_parsing",
  // `OpenApiDocument` describes it as an integer
  toJsonSchema: () => ({ format: "integer" })
})

export const IntText = Schema.String.check(isIntText).pipe(
  Schema.decodeTo(Schema.Int, SchemaTransformation.transform({ decode: Number, encode: String }))
)
