import { assert, describe, it } from "@effect/vitest"
import * as Rest from "../../src/process/Rest.ts"

const second = 1_000_000

/** Processor time of the process after each second. */
const times = (used: ReadonlyArray<number>) => {
  const isTime = Rest.watch()
  return used.map((seconds) => isTime(seconds * second))
}

describe("A process that rests", () => {
  it("memory is collected once, three seconds after the work has ended", () => {
    assert.deepStrictEqual(times([0.9, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5]), [false, false, false, false, true, false, false])
  })

  it("memory is not collected while the process works", () => {
    assert.isFalse(times([1, 2, 3, 3.5, 4, 4.1, 4.2, 4.3]).includes(true))
  })

  it("memory is not collected again before there was a second of work", () => {
    assert.deepStrictEqual(times([2, 2, 2, 2, 2.6, 2.6, 2.6, 2.6, 3.1, 3.1, 3.1, 3.1]).indexOf(true), 3)
    assert.deepStrictEqual(times([2, 2, 2, 2, 2.6, 2.6, 2.6, 2.6, 3.1, 3.1, 3.1, 3.1]).lastIndexOf(true), 11)
  })
})
