import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as PacedCalls from "../../src/limits/PacedCalls.ts"

const turn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

describe("PacedCalls", () => {
  it.effect("few calls run at once, and the rest some in each turn of the event loop, in their order", () =>
    Effect.gen(function*() {
      const { add } = PacedCalls.make(3)
      const called: Array<number> = []
      for (let n = 0; n < 8; n++) add(() => void called.push(n))
      const counts = [called.length]
      while (called.length < 8) {
        yield* turn
        counts.push(called.length)
      }
      assert.deepStrictEqual(called, [0, 1, 2, 3, 4, 5, 6, 7])
      assert.isTrue(counts.every((count, index) => count - (counts[index - 1] ?? 0) <= 3), counts.join())
      yield* turn
      add(() => void called.push(8))
      assert.strictEqual(called.at(-1), 8)
    }))

  it.effect("calls that are added meanwhile run after the waiting calls", () =>
    Effect.gen(function*() {
      const { add } = PacedCalls.make(1)
      const called: Array<string> = []
      add(() => void called.push("first"))
      add(() => {
        called.push("second")
        add(() => void called.push("fourth"))
      })
      add(() => void called.push("third"))
      while (called.length < 4) yield* turn
      assert.deepStrictEqual(called, ["first", "second", "third", "fourth"])
    }))
})
