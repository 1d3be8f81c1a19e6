import { assert, describe, it } from "@effect/vitest"
import * as LargeTexts from "../../src/runs/LargeTexts.ts"

const like = "\0svc-text:short"

describe("large texts in JSON", () => {
  it("no value with a large text is taken for one without", () => {
    const values = [
      like,
      `${like}"\\`,
      { event: "RunContent", content: like },
      { content: "a".repeat(32 * 1024) },
      { content: "\0".repeat(32 * 1024) },
      { messages: [{ role: "user", from_history: true, content: "a".repeat(1024) }] }
    ]
    for (const value of values) {
      assert.strictEqual(LargeTexts.find(value).size, 1)
      assert.isTrue(LargeTexts.canBeIn(JSON.stringify(value)))
    }
  })

  it("a word of a model has no large text", () => {
    assert.isFalse(LargeTexts.canBeIn(JSON.stringify({ event: "RunContent", content: "word", event_index: 7 })))
  })
})
