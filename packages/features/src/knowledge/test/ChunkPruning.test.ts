import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as ChunkPruning from "../ChunkPruning.ts"
import { ChunkStore } from "../ChunkStore.ts"
import { ContentStore } from "../ContentStore.ts"
import { chunk, publish } from "./SampleKnowledge.ts"

const stores = Layer.mergeAll(InMemory.ChunkStore, InMemory.ContentStore).pipe(
  Layer.provide(MemoryDatabase.layer)
)

describe("ChunkPruning", () => {
  it.effect("the job removes all chunks of removed contents, in pieces", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const store = yield* ChunkStore
      const many = Array.from({ length: 2500 }, (_, index) => chunk(index + 1))
      const gone = yield* publish({}, many)
      const kept = yield* publish({}, [chunk(1)])
      yield* contents.remove({ ...gone, owner: Owner.anyone })
      const pruning = yield* ChunkPruning.kind()
      const round = yield* Effect.forkChild(pruning.execute(null, {} as never), { startImmediately: true })
      assert.strictEqual((yield* store.added(gone)).size, 1500)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(round)
      assert.strictEqual((yield* store.added(gone)).size, 0)
      assert.strictEqual((yield* store.added(kept)).size, 1)
    }).pipe(Effect.provide(stores)))

  it.effect("the job removes contents in pieces until none is left, and then their chunks", () =>
    Effect.gen(function*() {
      const [contents, store] = [yield* ContentStore, yield* ChunkStore]
      const pieces = [500, 500, 3]
      const left: Array<number> = []
      const pruning = yield* ChunkPruning.kind().pipe(
        Effect.provideService(ContentStore, { ...contents, prune: Effect.sync(() => pieces.shift() ?? 0) }),
        Effect.provideService(ChunkStore, {
          ...store,
          prune: Effect.sync(() => {
            left.push(pieces.length)
            return 0
          })
        })
      )
      const round = yield* Effect.forkChild(pruning.execute(null, {} as never), { startImmediately: true })
      assert.deepStrictEqual([pieces, left], [[500, 3], []])
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(round)
      assert.deepStrictEqual([pieces, left], [[], [0]])
    }).pipe(Effect.provide(stores)))
})
