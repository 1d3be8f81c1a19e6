import { assert, describe, it } from "@effect/vitest"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as ChunkIndexing from "../ChunkIndexing.ts"
import { ChunkStore } from "../ChunkStore.ts"

describe("ChunkIndexing", () => {
  it.effect("the job works in pieces, in the stores of authors too, and reports how much it has done", () =>
    Effect.gen(function*() {
      const store = yield* ChunkStore
      const reported: Array<unknown> = []
      let left = 60
      const own = { ...store, index: Effect.sync(() => left-- > 0 ? 20 : 0) }
      const kind = yield* ChunkIndexing.kind([own])
      const report = (progress: unknown) => Effect.sync(() => void reported.push(progress))
      const round = yield* Effect.forkChild(kind.execute(null, { report } as never), { startImmediately: true })
      assert.strictEqual(left, 59)
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(round)
      assert.strictEqual(left, -1)
      assert.deepStrictEqual(reported, [{ done: 1000 }])
    }).pipe(Effect.provide(InMemory.ChunkStore.pipe(Layer.provide(MemoryDatabase.layer)))))
})
