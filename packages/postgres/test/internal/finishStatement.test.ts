// What the end of a run weighs: heavy ends share neither a statement nor a connection with others.
import { assert, describe, it } from "@effect/vitest"
import { ending, newRun } from "@svc-runtime/test-support/suites/Samples"
import * as FinishStatement from "../../src/runs/FinishStatement.ts"
import { heavyBytes } from "../../src/sql/Batched.ts"

const session_state = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`k${n}`, 0]))

describe("the end of a run", () => {
  it("an end that changes one key of a state with thousands of keys is heavy, and one that changes none is not", () => {
    const weighed = [{ set: { k1: 1 }, removed: [] }, undefined].map((state_changes) => {
      const changing = ending(newRun(), { run: { session_state }, state_changes })
      return FinishStatement.encode(changing).bytes > heavyBytes
    })
    assert.deepStrictEqual(weighed, [true, false])
  })
})
