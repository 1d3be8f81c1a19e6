import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as PartialAnswers from "../../src/mcp/tasks/PartialAnswers.ts"
import { peerPair } from "../workers/peerPair.ts"

const answers = (length: number) => new Map([["question", "x".repeat(length)]])

/** The tasks whose answers are still there. */
const keptAfter = (given: Omit<typeof PartialAnswers.defaultLimits, "ofCaller">, lengths: ReadonlyArray<number>) => {
  const partial = PartialAnswers.make({ ...given, ofCaller: given })
  lengths.forEach((length, task) => partial.set(String(task), answers(length), "ann"))
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
    const limits = { tasks: 9, characters: 1000 }
    const partial = PartialAnswers.make({ ...limits, ofCaller: limits })
    for (let count = 0; count < 9; count++) partial.set("one", answers(400), "ann")
    partial.set("two", answers(400), "ann")
    assert.strictEqual(partial.of("one").size, 1)
    partial.set("one", new Map(), "ann")
    partial.set("three", answers(400), "ann")
    assert.deepStrictEqual(["one", "two", "three"].map((task) => partial.of(task).size), [0, 1, 1])
  })

  it("a caller with many answers loses only their own", () => {
    const ofCaller = { tasks: 2, characters: 1000 }
    const partial = PartialAnswers.make({ tasks: 9, characters: 9000, ofCaller })
    partial.set("of bob", answers(400), "bob")
    for (const task of ["one", "two", "three"]) partial.set(task, answers(10), "ann")
    partial.set("large", answers(2000), "ann")
    const tasks = ["of bob", "one", "two", "three", "large"]
    assert.deepStrictEqual(tasks.map((task) => partial.of(task).size), [1, 0, 0, 0, 0])
  })

  it.effect("the answers that another worker has are read, and forgotten when the run continues", () =>
    Effect.gen(function*() {
      const [first, second] = peerPair()
      const partial = PartialAnswers.make()
      yield* PartialAnswers.shareWith(first, partial)
      partial.set("one", answers(3), "ann")
      const read = (areForgotten: boolean) =>
        Effect.map(PartialAnswers.ofPeers(second, "one", areForgotten), (found) => [...found])
      assert.deepStrictEqual(yield* read(false), [["question", "xxx"]])
      assert.deepStrictEqual(yield* read(true), [["question", "xxx"]])
      assert.deepStrictEqual(yield* read(false), [])
      assert.strictEqual(partial.of("one").size, 0)
    }))
})
