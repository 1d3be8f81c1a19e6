// Contents and chunks that were damaged in the database, and responses that are too large.
import { assert, describe, it } from "@effect/vitest"
import type * as Json from "@svc-runtime/domain/Json"
import * as KnowledgeFilter from "@svc-runtime/domain/KnowledgeFilter"
import * as Owner from "@svc-runtime/domain/Owner"
import * as StoreLimits from "@svc-runtime/engine/limits/StoreLimits"
import { ChunkStore } from "@svc-runtime/features/knowledge/ChunkStore"
import { ContentStore } from "@svc-runtime/features/knowledge/ContentStore"
import {
  at,
  byMeaning,
  byWords,
  chunk,
  embedding,
  everything,
  idsOf,
  newestFirst,
  publish,
  put,
  search,
  vector
} from "@svc-runtime/features/knowledge/test/SampleKnowledge"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Cause, Effect, Exit, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"

Tier.oneIn(3)

const layer = SqlStores.layer.pipe(Layer.provideMerge(PgliteLayer.layer))

const filterOf = (filter: Json.Value) => Result.getOrThrow(KnowledgeFilter.parse(filter))

const filters = [{ a: 1 }, { a: ["x", null] }, { op: "GT", key: "a", value: 0 }, { op: "LT", key: "a", value: "x" }]

describe("damaged knowledge", () => {
  it.effect("a chunk with damaged signs, vector or metadata harms no other chunk", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { instance } = yield* publish({}, [chunk(1, { id: "damaged" }), chunk(2, { id: "whole" })])
      const damage = [
        sql`update svc_chunks set signs = b'1' where place = 1`,
        sql`update svc_chunks set signs = null where place = 1`,
        sql`update svc_chunks set signs = b'', metadata = '[1]' where place = 1`,
        sql`update svc_chunks set metadata = '"text"' where place = 1`,
        sql`update svc_chunks set metadata = '{"a": {"a": null}}' where place = 1`,
        sql`update svc_chunk_texts set vector = '\\x00' where chunk_id = 'damaged'`,
        sql`update svc_chunk_texts set vector = decode(repeat('ff', 16), 'hex') where chunk_id = 'damaged'`,
        sql`update svc_chunk_texts set vector = null where chunk_id = 'damaged'`
      ]
      const both = { _tag: "Hybrid", text: "part", vector: vector(1, 0, 0, 0), embedding } as const
      for (const statement of damage) {
        yield* statement
        for (const sought of [byMeaning(1, 0, 0, 0), byWords("part"), both]) {
          assert.include(idsOf(yield* search(instance, sought)), "whole")
          for (const filter of filters) yield* search(instance, sought, { filter: filterOf(filter) })
        }
      }
    }).pipe(Effect.provide(layer)))

  it.effect("a content with damaged metadata is left out of lists, can be patched and removed, and harms no other", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const contents = yield* ContentStore
      const damaged = yield* publish({}, [chunk(1, { id: "damaged" })])
      const { instance } = damaged
      yield* publish({ instance, metadata: { a: 1 } }, [chunk(1, { id: "whole" })])
      const key = { ...damaged, owner: Owner.anyone }
      for (const metadata of ["[1]", "\"text\"", "7"]) {
        yield* sql`update svc_contents set metadata = ${metadata}::jsonb where content_id = ${damaged.content_id}`
        const listed = yield* contents.list(key, everything, newestFirst)
        assert.deepStrictEqual(listed.contents.map((content) => content.metadata), [{ a: 1 }])
        assert.deepStrictEqual(yield* contents.metadataKeys(key), ["a"])
        for (const filter of filters) {
          const found = yield* search(instance, byWords("part"), { filter: filterOf(filter) })
          assert.isTrue(found.every(({ chunk }) => chunk.id !== "damaged"))
        }
        assert.deepStrictEqual(idsOf(yield* search(instance, byWords("part"))), ["whole"])
        for (const method of [contents.get(key), contents.patch(key, { name: "a" }, at)]) {
          const exit = yield* Effect.exit(method)
          assert.include(
            Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "",
            "cannot be read. Damaged columns: metadata"
          )
        }
      }
      const patched = yield* contents.patch(key, { metadata: { b: 2 } }, at)
      assert.deepStrictEqual(patched.metadata, { b: 2 })
      assert.notStrictEqual(patched.name, "a", "a patch that failed is not stored")
      assert.strictEqual((yield* contents.remove(key)).count, 1)
    }).pipe(Effect.provide(layer)))

  it.effect("a status that this version does not know is one of those of the contract", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const contents = yield* ContentStore
      const content = yield* put()
      const known = { content_failed: "failed", all_completed: "completed", waiting: "processing" }
      for (const [stored, status] of Object.entries(known)) {
        yield* sql`update svc_contents set status = ${stored}`
        assert.strictEqual((yield* contents.get({ ...content, owner: Owner.anyone })).status, status)
      }
    }).pipe(Effect.provide(layer)))

  it.effect("chunks that lost their content are removed when it is marked", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const store = yield* ChunkStore
      const { instance } = yield* publish({}, [chunk(1, { id: "kept" })])
      yield* sql`insert into svc_chunks (content_seq, generation, place, metadata) values (1000000, 1, 1, '{}')`
      yield* sql`insert into svc_dead_chunks (content_seq) select * from generate_series(999000, 1000001)`
      assert.strictEqual(yield* store.prune, 1)
      assert.strictEqual(yield* store.prune, 0)
      assert.deepStrictEqual(yield* sql`select content_seq from svc_dead_chunks`, [])
      assert.deepStrictEqual(idsOf(yield* search(instance, byWords("part"))), ["kept"])
    }).pipe(Effect.provide(layer)))
})

describe("more than one response carries", () => {
  const limited = SqlStores.layer.pipe(
    Layer.provide(StoreLimits.layerWith({ response: 1000 })),
    Layer.provideMerge(PgliteLayer.layer)
  )

  it.effect("a search gives as many of the best chunks as one response carries", () =>
    Effect.gen(function*() {
      const text = "x ".repeat(200)
      const many = Array.from({ length: 60 }, (_, index) => chunk(index + 1, { text, vector: vector(1, 0, 0, index) }))
      const { instance } = yield* publish({}, many)
      const found = yield* search(instance, byMeaning(1, 0, 0, 0), { limit: 60 })
      assert.deepStrictEqual(idsOf(found), ["manual_1", "manual_2"])
    }).pipe(Effect.provide(limited)))

  it.effect("a page of contents above RESPONSE_MAX_BYTES is refused, and a smaller one is not", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const { instance } = yield* put({ metadata: { text: "x".repeat(500) } })
      yield* put({ instance, metadata: { text: "x".repeat(500) } })
      const filter = { instance, owner: Owner.anyone }
      const error = yield* Effect.flip(contents.list(filter, everything, newestFirst))
      assert.include(error.message, "GET /knowledge/content?limit=20")
      const page = yield* contents.list(filter, { page: 1, limit: 1 }, newestFirst)
      assert.deepStrictEqual([page.contents.length, page.total], [1, 2])
    }).pipe(Effect.provide(limited)))
})
