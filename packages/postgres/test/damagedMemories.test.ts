// Memories that were damaged in the database, and pages that are too large.
import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as StoreLimits from "@svc-runtime/engine/limits/StoreLimits"
import * as MemoryOptimizer from "@svc-runtime/features/memory/MemoryOptimizer"
import { MemoryStore } from "@svc-runtime/features/memory/MemoryStore"
import { MemoryVectorStore } from "@svc-runtime/features/memory/MemoryVectorStore"
import * as SqlMemoryStore from "@svc-runtime/features/memory/SqlMemoryStore"
import * as SqlMemoryVectorStore from "@svc-runtime/features/memory/SqlMemoryVectorStore"
import { everything, memory, newestFirst, store } from "@svc-runtime/features/memory/test/SampleMemories"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Migrations from "../src/Migrations.ts"

const stores = Layer.mergeAll(SqlMemoryStore.layer, SqlMemoryVectorStore.layer).pipe(Layer.provide(Migrations.layer))
const layer = Layer.provideMerge(stores, PgliteLayer.layer)

describe("a memory with damaged topics", () => {
  it.effect("a damaged memory is left out of lists and of what a run reads, and harms no other memory", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const memories = yield* MemoryStore
      const user_id = userId()
      const [damaged, kept] = [memory({ user_id }), memory({ user_id, topics: ["a"] })]
      yield* store(damaged, kept)
      for (const topics of ["{\"a\":1}", "\"text\"", "[1,null]"]) {
        yield* sql`update svc_memories set topics = ${topics}::jsonb where memory_id = ${damaged.memory_id}`
        const owner = Owner.user(user_id)
        const page = yield* memories.list({ owner }, everything, newestFirst)
        assert.deepStrictEqual(page.memories, [kept])
        const budget = { maxBytes: 1000, maxCount: 10 }
        assert.deepStrictEqual(yield* memories.relevant(user_id, budget), [kept])
        const found = yield* memories.topics(owner)
        assert.include(found, "a")
        assert.isTrue(found.every((topic) => typeof topic === "string"))
        const filtered = yield* memories.list({ owner, topics: ["a"] }, everything, newestFirst)
        assert.deepStrictEqual(filtered.memories, [kept])
      }
      const content = { memory: "whole again", topics: [] }
      const replaced = yield* memories.replace(damaged.memory_id, Owner.anyone, content, 1_800_000_000)
      assert.strictEqual(replaced.memory, "whole again")
    }).pipe(Effect.provide(layer)))
})

describe("a damaged vector", () => {
  it.effect("a damaged vector is not compared, and harms no other memory", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const vectors = yield* MemoryVectorStore
      const user_id = userId()
      const [damaged, kept] = [memory({ user_id }), memory({ user_id })]
      yield* store(damaged, kept)
      const wanted = { model: "model", vector: Float32Array.of(1, 2) }
      const put = ({ memory_id }: typeof kept) =>
        vectors.put("model", [{ memory_id, version: 1, vector: Float32Array.of(1, 2) }])
      yield* put(kept)
      for (
        const damage of [
          sql`signs = '1'`,
          sql`signs = null`,
          sql`vector = decode('00', 'hex')`,
          sql`vector = decode('0000c07f0000c07f', 'hex')`,
          sql`vector = ''`
        ]
      ) {
        yield* put(damaged)
        yield* sql`update svc_memory_vectors set ${damage} where memory_id = ${damaged.memory_id}`
        const found = yield* vectors.nearest({ owner: Owner.user(user_id) }, wanted)
        assert.deepInclude(found.map(({ memory }) => memory), kept)
        const read = yield* vectors.forRun(user_id, { maxBytes: 1000, maxCount: 10 }, wanted)
        assert.strictEqual(read.length, 2)
      }
    }).pipe(Effect.provide(layer)))
})

describe("optimizing memories with a damaged one", () => {
  it.effect("the readable memories are merged, and the damaged one stays as it is", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const memories = yield* MemoryStore
      const user_id = userId()
      const [damaged, ...readable] = [memory({ user_id }), memory({ user_id }), memory({ user_id })]
      yield* store(damaged, ...readable)
      yield* sql`update svc_memories set topics = '[1]' where memory_id = ${damaged.memory_id}`
      const { model } = yield* Script.make([[Script.text("likes tea")]])
      const models = { defaultModel: "scripted", resolve: () => Effect.succeed(model) }
      const { memories_before } = yield* MemoryOptimizer.optimize(memories, models, {
        user_id,
        limit: StoreLimits.defaults.memories,
        model: undefined,
        apply: true
      })
      assert.strictEqual(memories_before, 2)
      const { memories: [merged, ...more], total } = yield* memories.list(
        { owner: Owner.user(user_id) },
        everything,
        newestFirst
      )
      assert.deepStrictEqual([merged?.memory, more, total], ["likes tea", [], 2])
      const [row] = yield* sql`select topics from svc_memories where memory_id = ${damaged.memory_id}`
      assert.deepStrictEqual(row, { topics: [1] })
    }).pipe(Effect.provide(layer)))
})

describe("a page with more bytes than a response carries", () => {
  it.effect("a page above RESPONSE_MAX_BYTES is refused, and a smaller one is not", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const user_id = userId()
      yield* store(...Array.from({ length: 30 }, () => memory({ user_id, memory: "x".repeat(100) })))
      const filter = { owner: Owner.user(user_id) }
      for (const limit of [30, 1_000_000]) {
        const error = yield* Effect.flip(memories.list(filter, { page: 1, limit }, newestFirst))
        assert.strictEqual(error._tag, "ResponseTooLarge")
        assert.include(error.message, "RESPONSE_MAX_BYTES is 10000")
      }
      const { memories: found, total } = yield* memories.list(filter, { page: 1, limit: 15 }, newestFirst)
      assert.deepStrictEqual([found.length, total], [15, 30])
      const statistics = (limit: number) => memories.statistics(Owner.anyone, { page: 1, limit })
      assert.lengthOf((yield* statistics(1_000_000)).users, (yield* statistics(10)).total)
      yield* store(...Array.from({ length: 20 }, () => memory()))
      assert.strictEqual((yield* Effect.flip(statistics(1_000_000)))._tag, "ResponseTooLarge")
      assert.lengthOf((yield* statistics(10)).users, 10)
    }).pipe(Effect.provide(
      stores.pipe(Layer.provide(StoreLimits.layerWith({ response: 10_000 })), Layer.provideMerge(PgliteLayer.layer))
    )))
})
