import { assert, describe, it } from "@effect/vitest"
import * as Vector from "@svc-runtime/domain/Vector"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as DemoEmbedder from "../src/DemoEmbedder.ts"
import * as Embedder from "../src/Embedder.ts"

type Answer = (values: ReadonlyArray<string>) => ReadonlyArray<Array<number>>

const model = (answer: Answer, limit: number | Promise<number | undefined> = 2) => {
  const calls: Array<ReadonlyArray<string>> = []
  const embeddingModel: Embedder.AiSdkEmbeddingModel = {
    specificationVersion: "v4",
    provider: "test",
    modelId: "vectors",
    maxEmbeddingsPerCall: limit,
    supportsParallelCalls: true,
    doEmbed: ({ values }) => {
      calls.push(values)
      return Promise.resolve().then(() => ({ embeddings: [...answer(values)], warnings: [] }))
    }
  }
  return { calls, embeddingModel }
}

const lengths: Answer = (values) => values.map((value) => [value.length, 1])

describe("Embedder.ofAiSdk", () => {
  it.effect("texts are sent in calls of the size that the model accepts, and vectors come in their order", () =>
    Effect.gen(function*() {
      const { calls, embeddingModel } = model(lengths, Promise.resolve(2))
      const embedder = yield* Embedder.ofAiSdk(embeddingModel)
      assert.deepStrictEqual([embedder.id, embedder.maxPerCall], ["test:vectors", 2])
      const vectors = yield* embedder.embedMany(["a", "bb", "ccc", "dddd", "eeeee"])
      assert.deepStrictEqual(vectors.map(([first]) => first), [1, 2, 3, 4, 5])
      assert.deepStrictEqual(calls, [["a", "bb"], ["ccc", "dddd"], ["eeeee"]])
      assert.deepStrictEqual(yield* embedder.embedMany([]), [])
    }))

  it.effect("a model without a limit gets 96 texts at once", () =>
    Effect.gen(function*() {
      const { embeddingModel } = model(lengths, Promise.resolve(undefined))
      assert.strictEqual((yield* Embedder.ofAiSdk(embeddingModel)).maxPerCall, 96)
      assert.strictEqual((yield* Embedder.ofAiSdk(embeddingModel, { maxPerCall: 10 })).maxPerCall, 10)
    }))

  it.effect.each<readonly [string, Answer]>([
    ["too few vectors", () => [[1]]],
    ["vectors of different lengths", () => [[1], [1, 2]]],
    ["empty vectors", () => [[], []]],
    ["a number that is not finite", () => [[1], [Number.NaN]]]
  ])("an answer with %s is an error", ([, answer]) =>
    Effect.gen(function*() {
      const embedder = yield* Embedder.ofAiSdk(model(answer).embeddingModel)
      const error = yield* Effect.flip(embedder.embedMany(["a", "b"]))
      assert.include(error.message, "test did not give one vector of the same length for each text (vectors)")
    }))

  it.effect("a call that fails for a moment is retried", () =>
    Effect.gen(function*() {
      let failures = 1
      const { calls, embeddingModel } = model((values) => {
        if (failures-- > 0) throw Object.assign(new Error("busy"), { statusCode: 503, isRetryable: true })
        return lengths(values)
      })
      const embedder = yield* Embedder.ofAiSdk(embeddingModel)
      const fiber = yield* Effect.forkChild(embedder.embedMany(["a"]))
      while (calls.length < 2) {
        yield* TestClock.adjust("1 second")
        yield* Effect.promise(() => Promise.resolve())
      }
      assert.strictEqual((yield* Fiber.join(fiber)).length, 1)
    }))
})

describe("DemoEmbedder", () => {
  const similarityOf = (left: string, right: string) =>
    Effect.map(
      DemoEmbedder.embedder.embedMany([left, right]),
      ([a = new Float32Array(), b = new Float32Array()]) => Vector.cosine(a, b)
    )

  it.effect("texts that share words or parts of words are more similar than others", () =>
    Effect.gen(function*() {
      const [same, words, parts, other] = [
        yield* similarityOf("The user likes green tea", "the USER likes, green tea!"),
        yield* similarityOf("The user likes green tea", "green tea is what she drinks"),
        yield* similarityOf("gardening", "garden"),
        yield* similarityOf("The user likes green tea", "A violin was bought in Vienna")
      ]
      assert.closeTo(same, 1, 1e-6)
      assert.isAbove(words, other + 0.1)
      assert.isAbove(parts, 0.2)
    }))

  it.effect("vectors have the length 1, and a text without words is similar to none", () =>
    Effect.gen(function*() {
      const [vector = new Float32Array()] = yield* DemoEmbedder.embedder.embedMany(["green tea"])
      assert.strictEqual(vector.length, 256)
      assert.closeTo(Math.hypot(...vector), 1, 1e-6)
      assert.strictEqual(yield* similarityOf("?", "green tea"), 0)
    }))
})
