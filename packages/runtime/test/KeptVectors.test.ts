import { assert, describe, it } from "@effect/vitest"
import type { Embedder } from "@svc/models"
import * as KeptVectors from "@svc/runtime/KeptVectors"
import { Effect, Option } from "effect"

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

describe("KeptVectors", () => {
  it.effect("a text is embedded once, until the vectors of later ones need its place", () =>
    Effect.gen(function*() {
      const { embedder, texts } = embedderOf([1, 0])
      const kept = KeptVectors.make(700)
      for (const text of ["a", "b", "a", "c", "a"]) yield* kept.of(embedder, text)
      assert.deepStrictEqual(texts, ["a", "b", "c"])
      for (const text of ["d", "a", "b"]) yield* kept.of(embedder, text)
      assert.deepStrictEqual(texts, ["a", "b", "c", "d", "b"])
    }))

  it.effect("vectors of another embedder with the same id are not mixed up", () =>
    Effect.gen(function*() {
      const kept = KeptVectors.make(10_000)
      const [first, second] = [embedderOf([1, 0]), embedderOf([0, 1])]
      yield* kept.of(first.embedder, "a")
      assert.isTrue(Option.isNone(kept.find(second.embedder, "a")))
      assert.deepStrictEqual(yield* kept.of(second.embedder, "a"), Option.some(Float32Array.of(0, 1)))
    }))

  it.effect("a vector that cannot be used is not kept, and neither is one that is larger than the place", () =>
    Effect.gen(function*() {
      const kept = KeptVectors.make(1000)
      for (const numbers of [[0, 0], [Number.NaN, 1], Array.from({ length: 1000 }, () => 1)]) {
        const { embedder, texts } = embedderOf(numbers)
        yield* kept.of(embedder, "a")
        yield* kept.of(embedder, "a")
        assert.strictEqual(texts.length, 2)
      }
    }))
})
