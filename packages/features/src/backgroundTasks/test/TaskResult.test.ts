import { assert, describe, it } from "@effect/vitest"
import { assertLinear } from "@svc-runtime/test-support/Growth"
import * as TaskResult from "../TaskResult.ts"

describe("the result of a background task", () => {
  it("a result is cut at a whole character", () => {
    assert.match(TaskResult.cut("aé", 2), /^a\n\n\[Cut: /)
    assert.match(TaskResult.cut("a\ufffd\ufffdb", 7), /^a\ufffd\ufffd\n\n\[Cut: /)
    assert.strictEqual(TaskResult.cut("aé", 3), "aé")
  })

  it("a result is cut in time that grows with it", () => {
    assertLinear(2000, (length) => void TaskResult.cut(`${"\ufffd".repeat(length)}xy`, 3 * length + 1))
  })
})
