// Integers as text, and texts that only JavaScript accepts as numbers.
import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { IntText } from "../src/query/IntText.ts"

const decode = Schema.decodeUnknownOption(IntText)

describe("IntText", () => {
  it.each([["0", 0], ["7", 7], ["-3", -3], ["+5", 5], ["007", 7], ["9007199254740991", 9007199254740991]] as const)(
    "the text %j decodes to the number %d",
    (text, value) => {
      assert.deepStrictEqual(decode(text), Option.some(value))
      assert.strictEqual(Schema.encodeSync(IntText)(value), String(value))
    }
  )

  it.each([
    "",
    " ",
    " 5",
    "5 ",
    "1.0",
    "1e3",
    "0x10",
    "0b1",
    "Infinity",
    "NaN",
    "--1",
    "1_000",
    "٣",
    "9007199254740992"
  ])(
    "%j does not decode to a number",
    (text) => {
      assert.strictEqual(decode(text)._tag, "None")
    }
  )
})
