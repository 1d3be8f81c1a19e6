import { assert, describe, it } from "@effect/vitest"
import { EmbedderCatalog } from "@svc-runtime/agents/Models"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Job from "@svc-runtime/engine/jobs/Job"
import { userId } from "@svc-runtime/test-support/suites/Samples"
import * as TopicEmbedder from "@svc-runtime/test-support/TopicEmbedder"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Effect, Layer, Result } from "effect"
import { AiError } from "effect/ai"
import { MemoryStore } from "../MemoryStore.ts"
import { MemoryVectorStore } from "../MemoryVectorStore.ts"
import * as VectorJob from "../VectorJob.ts"
import { memory, store } from "./SampleMemories.ts"

const stores = Layer.mergeAll(InMemory.MemoryStore, InMemory.MemoryVectorStore).pipe(
  Layer.provide(MemoryDatabase.layer)
)

/** An attempt of the job with this embedder. */
const execute = Effect.fnUntraced(function*(options: TopicEmbedder.Options) {
  const [kind, ...more] = yield* Effect.provide(
    VectorJob.kinds,
    EmbedderCatalog.layer({ embedder: TopicEmbedder.make(options) })
  )
  assert.deepStrictEqual(more, [])
  const context = {
    job: {} as Job.Acquired,
    report: () => Effect.void,
    progressed: Effect.void,
    postpone: () => Effect.void,
    guard: <A>(effect: A) => effect
  }
  return yield* Effect.result(kind?.execute(null, context) ?? Effect.void)
})

const user_id = userId()

const nearest = (to: "drinks" | "music", model = "test:topics@3") =>
  MemoryVectorStore.use((vectors) =>
    Effect.map(
      vectors.nearest(
        { owner: Owner.user(user_id) },
        { model, vector: to === "drinks" ? Float32Array.of(1, 0, 0) : Float32Array.of(0, 1, 0) }
      ),
      (found) => found.map(({ memory }) => memory.memory)
    )
  )

const texts = ["likes tea", "owns a violin", "has a dog"]
const stored = store(...texts.map((text) => memory({ user_id, memory: text })))

describe("the job that makes vectors of memories", () => {
  it.effect("all memories get vectors, in few calls, and none is embedded a second time", () =>
    Effect.gen(function*() {
      const calls: Array<ReadonlyArray<string>> = []
      const before = (sent: ReadonlyArray<string>) => Effect.sync(() => void calls.push(sent))
      yield* stored
      yield* execute({ before })
      yield* execute({ before })
      assert.deepStrictEqual(calls.map((sent) => [...sent].sort()), [[...texts].sort()])
      assert.deepStrictEqual(yield* nearest("drinks"), ["likes tea", "owns a violin"])
      assert.deepStrictEqual(yield* nearest("music"), ["owns a violin", "likes tea"])
    }).pipe(Effect.provide(stores)))

  it.effect("vectors of another model are ignored, and made again", () =>
    Effect.gen(function*() {
      yield* stored
      yield* execute({})
      yield* execute({ id: "test:other" })
      assert.deepStrictEqual(yield* nearest("music"), [])
      assert.deepStrictEqual(yield* nearest("music", "test:other@3"), ["owns a violin", "likes tea"])
    }).pipe(Effect.provide(stores)))

  it.effect("a text that the model refuses gets no vector, and the others do not wait for it", () =>
    Effect.gen(function*() {
      const refuses = (sent: ReadonlyArray<string>) =>
        sent.some((text) => text.includes("violin")) ? Effect.fail(TopicEmbedder.refused) : Effect.void
      yield* stored
      assert.isTrue(Result.isSuccess(yield* execute({ before: refuses })))
      assert.deepStrictEqual(yield* nearest("drinks"), ["likes tea"])
      let calls = 0
      yield* execute({ before: () => Effect.sync(() => void calls++) })
      assert.strictEqual(calls, 0)
    }).pipe(Effect.provide(stores)))

  it.effect("a model that refuses every text fails the attempt, and the next one makes the vectors", () =>
    Effect.gen(function*() {
      yield* stored
      for (const error of [TopicEmbedder.refused, TopicEmbedder.unavailable]) {
        assert.isTrue(Result.isFailure(yield* execute({ before: () => Effect.fail(error) })))
      }
      yield* execute({})
      assert.deepStrictEqual(yield* nearest("music"), ["owns a violin", "likes tea"])
    }).pipe(Effect.provide(stores)))

  it.effect("a failed attempt has nothing of the answer of the provider, which can repeat a text", () =>
    Effect.gen(function*() {
      yield* stored
      const reason = new AiError.InternalProviderError({ description: "cannot embed 'likes tea'" })
      const error = AiError.make({ module: "test", method: "embedMany", reason })
      const failed = yield* execute({ before: () => Effect.fail(error) })
      assert.isTrue(Result.isFailure(failed))
      if (Result.isSuccess(failed)) return
      const expected = "The embedder test:topics made no vectors of memories (InternalProviderError)"
      assert.strictEqual(failed.failure.message, expected)
    }).pipe(Effect.provide(stores)))

  it.effect("a memory that is changed while its vector is made gets that of the new text", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const { memory_id, ...fields } = memory({ user_id, memory: "likes tea" })
      yield* store({ memory_id, ...fields })
      let isFirst = true
      const before = () =>
        Effect.suspend(() => {
          if (!isFirst) return Effect.void
          isFirst = false
          return Effect.orDie(memories.replace(memory_id, Owner.anyone, { memory: "owns a violin", topics: [] }, 2))
        })
      yield* execute({ before: () => Effect.asVoid(before()) })
      const found = yield* MemoryVectorStore.use((vectors) =>
        vectors.nearest(
          { owner: Owner.user(user_id) },
          { model: "test:topics@3", vector: Float32Array.of(0, 1, 0) }
        )
      )
      assert.deepStrictEqual(found.map(({ memory, similarity }) => [memory.memory, similarity]), [["owns a violin", 1]])
    }).pipe(Effect.provide(stores)))

  it.effect("a database has no job for vectors without an embedder", () =>
    Effect.gen(function*() {
      const kinds = yield* Effect.provide(VectorJob.kinds, EmbedderCatalog.layer({ embedder: "none" }))
      assert.deepStrictEqual(kinds, [])
    }).pipe(Effect.provide(stores)))
})
