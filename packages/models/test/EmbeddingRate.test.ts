// How often an embedder is called.
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Embedder from "../src/Embedder.ts"
import type { Limits } from "../src/EmbeddingRate.ts"

/** Each call answers with the vectors of its texts, or fails with the next of these errors. */
const recorded = Effect.fnUntraced(function*(rate: Limits, errors: Array<Error | undefined> = [], limit = 1) {
  const clock = yield* Clock.Clock
  const calls: Array<readonly [at: number, texts: number]> = []
  const embedder = yield* Embedder.ofAiSdk({
    specificationVersion: "v4",
    provider: "test",
    modelId: "vectors",
    maxEmbeddingsPerCall: limit,
    supportsParallelCalls: true,
    doEmbed: ({ values }) => {
      calls.push([clock.currentTimeMillisUnsafe() / 1000, values.length])
      const error = errors.shift()
      return error === undefined
        ? Promise.resolve({ embeddings: values.map(() => [1]), warnings: [] })
        : Promise.reject(error)
    }
  }, { rate })
  return { calls, embedder }
})

const texts = (count: number, length = 1) => Array.from({ length: count }, () => "x".repeat(length))

/** Lets time pass until an effect ends. */
const passing = Effect.fnUntraced(function*<A, E>(effect: Effect.Effect<A, E>) {
  const fiber = yield* Effect.forkChild(effect)
  while (fiber.pollUnsafe() === undefined) {
    yield* TestClock.adjust("1 second")
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  }
  return yield* Fiber.join(fiber)
})

const limited = (seconds: number) =>
  Object.assign(new Error("slow down"), {
    statusCode: 429,
    isRetryable: true,
    responseHeaders: { "retry-after": String(seconds) }
  })

describe("the rate of an embedder", () => {
  it.effect("requests of all callers together have a rate, after a burst of ten seconds", () =>
    Effect.gen(function*() {
      const { calls, embedder } = yield* recorded({ requestsPerMinute: 60 })
      yield* passing(Effect.all([embedder.embedMany(texts(8)), embedder.embedMany(texts(8))], { concurrency: 2 }))
      assert.strictEqual(calls.length, 16)
      assert.strictEqual(calls.filter(([at]) => at === 0).length, 11)
      assert.strictEqual(calls.at(-1)?.[0], 5)
    }))

  it.effect("tokens have a rate, and one call may have more of them than a minute has", () =>
    Effect.gen(function*() {
      const { calls, embedder } = yield* recorded({ tokensPerMinute: 6000 })
      yield* passing(embedder.embedMany(texts(3, 40_000)))
      assert.deepStrictEqual(calls.map(([at]) => at), [0, 90, 190])
    }))

  it.effect("a search is not behind the calls of jobs", () =>
    Effect.gen(function*() {
      const { calls, embedder } = yield* recorded({ requestsPerMinute: 6 })
      const job = yield* Effect.forkChild(embedder.embedMany(texts(20)))
      yield* TestClock.adjust("1 second")
      yield* passing(Embedder.awaited(embedder.embedMany(["query"])))
      assert.isAtMost(calls.at(-1)?.[0] ?? 0, 2)
      yield* Fiber.interrupt(job)
    }))

  it.effect("searches of one caller have half of the rate after a burst, and those of another do not wait", () =>
    Effect.gen(function*() {
      const { calls, embedder } = yield* recorded({ requestsPerMinute: 60 })
      const search = (caller: string, count: number) =>
        embedder.embedMany(texts(count)).pipe(
          Embedder.awaited,
          Embedder.calledBy(caller)
        )
      const many = yield* Effect.forkChild(search("ann", 16))
      yield* TestClock.adjust("1 second")
      const before = calls.length
      yield* search("bob", 1)
      assert.deepStrictEqual([before, calls.length, calls.at(-1)?.[0]], [6, 7, 1])
      yield* passing(Fiber.join(many))
      assert.deepStrictEqual([calls.length, calls.at(-1)?.[0]], [17, 20])
    }))

  it.effect("however many searches there are, a job waits at most a minute for them", () =>
    Effect.gen(function*() {
      const { calls, embedder } = yield* recorded({ requestsPerMinute: 6 })
      yield* passing(Embedder.awaited(embedder.embedMany(texts(100))))
      const [searched] = calls.at(-1) ?? [0]
      yield* passing(embedder.embedMany(["job"]))
      assert.isAtMost((calls.at(-1)?.[0] ?? 0) - searched, 60)
    }))

  it.effect("when one call is asked to wait, all wait", () =>
    Effect.gen(function*() {
      const { calls, embedder } = yield* recorded({}, [limited(30)])
      const first = yield* Effect.forkChild(embedder.embedMany(["a"]))
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      const second = yield* Effect.forkChild(embedder.embedMany(["b"]))
      yield* passing(Effect.all([Fiber.join(first), Fiber.join(second)]))
      assert.deepStrictEqual(calls.map(([at]) => at), [0, 30, 30])
    }))

  it.effect("a call has at most 256 KiB of text, if it has more than one", () =>
    Effect.gen(function*() {
      const { calls, embedder } = yield* recorded({}, [], 96)
      const sizes = [100_000, 100_000, 100_000, 300_000, 10]
      yield* embedder.embedMany(sizes.map((size) => "x".repeat(size)))
      assert.deepStrictEqual(calls.map(([, count]) => count), [2, 1, 1, 1])
    }))
})
