import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as PartialAnswers from "../../src/mcp/tasks/PartialAnswers.ts"
import { peerPair } from "../workers/peerPair.ts"

const answers = (length: number) => new Map([["question", "x".repeat(length)]])

/** The tasks whose answers are still there. */
const keptAfter = (limits: typeof PartialAnswers.defaultLimits, lengths: ReadonlyArray<number>) => {
  const partial = PartialAnswers.make(limits)
  lengths.forEach((length, task) => partial.set(String(task), answers(length)))
  return lengths.flatMap((_, task) => partial.of(String(task)).size === 0 ? [] : [task])
}

describe("PartialAnswers", () => {
  it("the oldest answers are forgotten when there are too many tasks", () => {
    assert.deepStrictEqual(keptAfter({ tasks: 2, characters: 10_000 }, [1, 1, 1]), [1, 2])
  })

  it("the oldest answers are forgotten when all are too large together, and so is one that is too large alone", () => {
    assert.deepStrictEqual(keptAfter({ tasks: 9, characters: 1000 }, [400, 400, 400]), [1, 2])
    assert.deepStrictEqual(keptAfter({ tasks: 9, characters: 1000 }, [400, 2000]), [])
  })

  it("the room of answers that are replaced or removed is free for others", () => {
    const partial = PartialAnswers.make({ tasks: 9, characters: 1000 })
    for (let count = 0; count < 9; count++) partial.set("one", answers(400))
    partial.set("two", answers(400))
    assert.strictEqual(partial.of("one").size, 1)
    partial.set("one", new Map())
    partial.set("three", answers(400))
    assert.deepStrictEqual(["one", "two", "three"].map((task) => partial.of(task).size), [0, 1, 1])
  })

  it.effect("the answers that another worker has are read, and forgotten when the run continues", () =>
    Effect.gen(function*() {
      const [first, second] = peerPair()
      const partial = PartialAnswers.make()
      yield* PartialAnswers.shareWith(first, partial)
      partial.set("one", answers(3))
      const read = (areForgotten: boolean) =>
        Effect.map(PartialAnswers.ofPeers(second, "one", areForgotten), (found) => [...found])
      assert.deepStrictEqual(yield* read(false), [["question", "xxx"]])
      assert.deepStrictEqual(yield* read(true), [["question", "xxx"]])
      assert.deepStrictEqual(yield* read(false), [])
      assert.strictEqual(partial.of("one").size, 0)
    }))
})
