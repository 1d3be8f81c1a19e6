// A whole number as it comes in queries and forms: digits and a sign, nothing else. `0x10`, `1e3` and the empty text are
// numbers to JavaScript and mistakes to everybody else.
import { Schema, SchemaTransformation } from "effect"

const isIntText = Schema.makeFilter((text: string) => /^[+-]?\d+$/.test(text) && Number.isSafeInteger(Number(text)), {
  message: "Input should be a valid integer, unable to parse string as an integer",
  problem: "int_parsing",
  // `OpenApiDocument` makes an integer of it: that the digits come as text is a matter of queries, not of their readers
  toJsonSchema: () => ({ format: "integer" })
})

export const IntText = Schema.String.check(isIntText).pipe(
  Schema.decodeTo(Schema.Int, SchemaTransformation.transform({ decode: Number, encode: String }))
)
