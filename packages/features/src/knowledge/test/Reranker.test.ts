// What the metrics count of requests to rerankers.
import { assert, describe, it } from "@effect/vitest"
import * as ModelRequests from "@svc-runtime/telemetry/ModelRequests"
import * as RequestCounts from "@svc-runtime/test-support/RequestCounts"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Knowledge from "../Knowledge.ts"
import * as Reranker from "../Reranker.ts"

const found: Parameters<typeof Reranker.rerank>[2] = [{
  chunk: { id: "c1", name: null, text: "one", metadata: {}, index: 1, size: 3 },
  content: { content_id: Knowledge.ContentId.make("c"), metadata: null, name: null, origin: null },
  score: 1
}]

const model = (
  answer: Promise<never> | Promise<{ readonly ranking: [{ index: number; relevanceScore: number }] }>
) => ({
  modelId: "sorter",
  provider: "test",
  doRerank: () => answer
})

describe("Reranker", () => {
  it.effect("A request to a reranking model counts, as an error if it fails.", () =>
    Effect.gen(function*() {
      const { counting, counts } = RequestCounts.make()
      const ranking: [{ index: number; relevanceScore: number }] = [{ index: 0, relevanceScore: 1 }]
      yield* counting(Reranker.rerank(model(Promise.resolve({ ranking })), "q", found, 1))
      assert.deepStrictEqual(counts(), { "sorter ok": 1 })
      yield* Effect.flip(counting(Reranker.rerank(model(Promise.reject(new Error("down"))), "q", found, 1)))
      assert.deepStrictEqual(counts(), { "sorter error": 1, "sorter ok": 1 })
    }))

  const hanging = {
    "a reranking model": model(new Promise<never>(() => {})),
    "a function that requests a model": () => ModelRequests.counted(Effect.never, { provider: "test", id: "sorter" })
  }
  for (const [name, reranker] of Object.entries(hanging)) {
    it.effect(`A request of ${name} that does not answer within 20 seconds counts as an error.`, () =>
      Effect.gen(function*() {
        const { counting, counts } = RequestCounts.make()
        const fiber = yield* Effect.flip(counting(Reranker.rerank(reranker, "q", found, 1))).pipe(
          Effect.forkChild({ startImmediately: true })
        )
        yield* TestClock.adjust("20 seconds")
        assert.strictEqual((yield* Fiber.join(fiber))._tag, "RerankingFailed")
        assert.deepStrictEqual(counts(), { "sorter error": 1 })
      }))
  }
})
