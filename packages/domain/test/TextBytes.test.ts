import { assert, describe, it } from "@effect/vitest"
import * as TextBytes from "../src/TextBytes.ts"

const characters = ["a", "é", "日", "🙂", "\ud83d", "\ude42"]

describe("TextBytes", () => {
  it.each([0, 1, 2, 511, 512, 513, 1023, 1024, 1025, 5000])("the bytes of a text are counted: %i times", (count) => {
    for (const character of characters) {
      const text = character.repeat(count)
      assert.strictEqual(TextBytes.of(text), Buffer.byteLength(text))
      assert.strictEqual(TextBytes.of(`${text}a`), Buffer.byteLength(`${text}a`))
    }
  })
})
