import { assert, describe, it } from "@effect/vitest"
import * as DemoMemories from "../src/DemoMemories.ts"

const kept = (user: string) => DemoMemories.changes(JSON.stringify({ user }), "").changes.map(({ memory }) => memory)

describe("DemoMemories", () => {
  it("a statement ends before the quotation mark that closes it", () => {
    assert.deepStrictEqual(kept("Remember \"I work at night\""), ["The user says: I work at night"])
    assert.deepStrictEqual(kept("Remember “I like tea” and water"), ["The user says: I like tea"])
  })

  it("an apostrophe does not end a statement", () => {
    assert.deepStrictEqual(kept("I like Ann's tea. I live in Bern"), [
      "The user says: I like Ann's tea",
      "The user says: I live in Bern"
    ])
  })
})
