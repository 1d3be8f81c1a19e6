// What clients send to functions that wait for it.
import { assert, describe, it } from "@effect/vitest"
import { assertLinear } from "@svc-runtime/test-support/Growth"
import * as SentValue from "../../src/agent/execute/calls/SentValue.ts"

describe("a value that a client sends as a text", () => {
  it("numbers inside of texts change nothing, and a number that would change keeps the text as it is", () => {
    assert.deepStrictEqual(SentValue.of(undefined, `{"a":"\\"12345678901234567890"}`), { a: "\"12345678901234567890" })
    assert.strictEqual(SentValue.of(undefined, `{"a":12345678901234567890}`), `{"a":12345678901234567890}`)
  })

  it("a text of quotes without an end is read in a time that grows with its length only", () => {
    for (const end of ["", "\\"]) {
      assertLinear(1024, (length) => SentValue.of(undefined, `"${"\\\"".repeat(length)}${end}`))
    }
  })
})
