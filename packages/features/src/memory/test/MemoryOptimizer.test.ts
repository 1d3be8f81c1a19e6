import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as SpanSink from "@svc-runtime/telemetry/SpanSink"
import { SpanTracer } from "@svc-runtime/telemetry/SpanTracer"
import * as RequestCounts from "@svc-runtime/test-support/RequestCounts"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { userId } from "@svc-runtime/test-support/suites/Samples"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Deferred, Effect, Fiber, Layer, Tracer } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryOptimizer from "../MemoryOptimizer.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { allOf, memory, store } from "./SampleMemories.ts"

const layer = Layer.provide(InMemory.MemoryStore, MemoryDatabase.layer)

const user_id = userId()
const first = memory({ user_id, memory: "The user likes tea", topics: null, agent_id: "a", updated_at: 1 })
const second = memory({ user_id, memory: "The user likes cake", topics: null, agent_id: "a", updated_at: 2 })

const optimize = Effect.fnUntraced(function*(script: Script.Turn, apply: boolean) {
  yield* store(first, second)
  const scripted = yield* Script.make([script])
  const models = { defaultModel: "scripted", resolve: () => Effect.succeed(scripted.model) }
  const request = { user_id, limit: 1000, model: undefined, apply }
  const result = yield* MemoryOptimizer.optimize(yield* MemoryStore, models, request)
  return { result, prompts: yield* scripted.prompts }
})

describe("MemoryOptimizer", () => {
  it.effect("the model gets the texts as data, and the result keeps agent and team where all agree", () =>
    Effect.gen(function*() {
      const { prompts, result } = yield* optimize([Script.text("Likes tea and cake")], true)
      assert.include(
        JSON.stringify(prompts[0]?.[1]),
        JSON.stringify(JSON.stringify([first.memory, second.memory])).slice(1, -1)
      )
      const [stored, ...others] = yield* allOf(user_id)
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual(
        [stored?.memory, stored?.topics, stored?.agent_id, stored?.team_id, stored?.run_id],
        ["Likes tea and cake", null, "a", null, null]
      )
      assert.strictEqual(result.memories_after, 1)
    }).pipe(Effect.provide(layer)))

  it.effect("an empty answer is not stored", () =>
    Effect.gen(function*() {
      const { result } = yield* optimize([Script.text(" ")], true)
      assert.deepStrictEqual([result.memories_before, result.memories_after, result.tokens_saved], [2, 2, 0])
      assert.deepStrictEqual(yield* allOf(user_id), [second, first])
    }).pipe(Effect.provide(layer)))

  it.effect("an empty answer shows the joined texts if nothing is stored", () =>
    Effect.gen(function*() {
      const { result } = yield* optimize([Script.text("")], false)
      assert.deepStrictEqual(
        result.memories.map(({ memory }) => memory),
        ["The user likes tea The user likes cake"]
      )
      assert.deepStrictEqual(yield* allOf(user_id), [second, first])
    }).pipe(Effect.provide(layer)))

  it.effect("nothing is replaced if a memory changes while the model answers", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const change = memories.replace(first.memory_id, Owner.anyone, { memory: "no tea", topics: null }, 1)
      const error = yield* Effect.flip(optimize([Script.wait(Effect.orDie(change)), Script.text("Likes tea")], true))
      assert.strictEqual(error._tag, "MemoriesChanged")
      assert.deepStrictEqual((yield* allOf(user_id)).map(({ memory }) => memory), [second.memory, "no tea"])
    }).pipe(Effect.provide(layer)))

  it.effect("a request to the model counts, with a span that has no texts", () =>
    Effect.gen(function*() {
      const { counting, counts } = RequestCounts.make()
      const sink = SpanSink.memory()
      yield* counting(optimize([Script.text("Likes tea and cake")], true)).pipe(
        Effect.provideService(Tracer.Tracer, new SpanTracer({ sinks: [sink] }))
      )
      assert.deepStrictEqual(counts(), { "scripted ok": 1 })
      assert.include(sink.spans.map(({ name }) => name), "chat scripted")
      assert.notMatch(JSON.stringify(sink.spans), /likes /i)
    }).pipe(Effect.provide(layer)))

  it.effect("a request to a model that does not answer within two minutes counts as an error", () =>
    Effect.gen(function*() {
      const { counting, counts } = RequestCounts.make()
      const requested = yield* Deferred.make<void>()
      const script = [Script.wait(Deferred.succeed(requested, undefined)), Script.hang]
      const fiber = yield* Effect.forkChild(Effect.flip(counting(optimize(script, true))))
      yield* Deferred.await(requested)
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "OptimizationFailed")
      assert.deepStrictEqual(counts(), { "scripted error": 1 })
    }).pipe(Effect.provide(layer)))

  it.effect("a model that fails changes nothing, and the error names no details of it", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(optimize([Script.fail("secret")], true))
      assert.strictEqual(error._tag, "OptimizationFailed")
      assert.notInclude(error.message, "secret")
      assert.deepStrictEqual(yield* allOf(user_id), [second, first])
    }).pipe(Effect.provide(layer)))
})
