import { assert, describe, it } from "@effect/vitest"
import type { Embedder } from "@svc-runtime/models"
import { Effect, Fiber, Latch, Option } from "effect"
import * as QueryVectorCache from "../QueryVectorCache.ts"

const embedderOf = (numbers: ReadonlyArray<number>) => {
  const texts: Array<string> = []
  const embedder: Embedder.Embedder = {
    id: "test:small",
    dimensions: undefined,
    maxPerCall: 10,
    embedMany: (given) =>
      Effect.sync(() => {
        texts.push(...given)
        return given.map(() => Float32Array.from(numbers))
      })
  }
  return { embedder, texts }
}

describe("QueryVectorCache", () => {
  it.effect("a text is embedded once, until the vectors of later ones need its place", () =>
    Effect.gen(function*() {
      const { embedder, texts } = embedderOf([1, 0])
      const kept = QueryVectorCache.make(700)
      for (const text of ["a", "b", "a", "c", "a"]) yield* kept.of(embedder, text)
      assert.deepStrictEqual(texts, ["a", "b", "c"])
      for (const text of ["d", "a", "b"]) yield* kept.of(embedder, text)
      assert.deepStrictEqual(texts, ["a", "b", "c", "d", "b"])
    }))

  it.effect("equal texts at the same time are embedded once, also if the first search is interrupted", () =>
    Effect.gen(function*() {
      const { embedder, texts } = embedderOf([1, 0])
      const slow: Embedder.Embedder = {
        ...embedder,
        embedMany: (given) => Effect.andThen(Effect.yieldNow, embedder.embedMany(given))
      }
      const kept = QueryVectorCache.make(10_000)
      const search = kept.of(slow, "a")
      const found = yield* Effect.all([search, search, search, kept.of(slow, "b")], { concurrency: "unbounded" })
      assert.isTrue(found.every(Option.isSome))
      assert.deepStrictEqual(texts, ["a", "b"])
      const waiting = Latch.makeUnsafe()
      const stuck = { ...slow, embedMany: () => Effect.andThen(waiting.open, Effect.never) }
      const current: { embedder: Embedder.Embedder } = { embedder: stuck }
      const changing: Embedder.Embedder = { ...slow, embedMany: (given) => current.embedder.embedMany(given) }
      const first = yield* Effect.forkChild(kept.of(changing, "c"))
      yield* waiting.await
      const second = yield* Effect.forkChild(kept.of(changing, "c"))
      yield* Effect.yieldNow
      current.embedder = slow
      yield* Fiber.interrupt(first)
      assert.isTrue(Option.isSome(yield* Fiber.join(second)))
      assert.deepStrictEqual(texts, ["a", "b", "c"])
    }))

  it.effect("vectors of another embedder with the same id are not mixed up", () =>
    Effect.gen(function*() {
      const kept = QueryVectorCache.make(10_000)
      const [first, second] = [embedderOf([1, 0]), embedderOf([0, 1])]
      yield* kept.of(first.embedder, "a")
      assert.isTrue(Option.isNone(kept.find(second.embedder, "a")))
      assert.deepStrictEqual(yield* kept.of(second.embedder, "a"), Option.some(Float32Array.of(0, 1)))
    }))

  it.effect("a vector that cannot be used is not kept, and neither is one that is larger than the place", () =>
    Effect.gen(function*() {
      const kept = QueryVectorCache.make(1000)
      for (const numbers of [[0, 0], [Number.NaN, 1], Array.from({ length: 1000 }, () => 1)]) {
        const { embedder, texts } = embedderOf(numbers)
        yield* kept.of(embedder, "a")
        yield* kept.of(embedder, "a")
        assert.strictEqual(texts.length, 2)
      }
    }))
})
