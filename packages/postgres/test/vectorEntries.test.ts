// The entries of an index of vectors: when they are added, and when those of removed chunks are dropped.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as StoreLimits from "@svc-runtime/engine/limits/StoreLimits"
import { ChunkStore } from "@svc-runtime/features/knowledge/ChunkStore"
import { ContentStore } from "@svc-runtime/features/knowledge/ContentStore"
import {
  byMeaning,
  chunk,
  idsOf,
  instanceName,
  publish,
  search
} from "@svc-runtime/features/knowledge/test/SampleKnowledge"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Layer } from "effect"
import { SqlClient, Statement } from "effect/sql"
import * as PgliteMaintenance from "../src/pglite/PgliteMaintenance.ts"

Tier.oneIn(2)

const stores = SqlStores.layer.pipe(
  Layer.provide(StoreLimits.layerWith({ minIndexedChunks: () => 1 })),
  Layer.provideMerge(PgliteLayer.layerCopied)
)

const chunks = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => chunk(index + 1, { id: `${prefix}${index + 1}` }))

const indexAll = Effect.gen(function*() {
  const store = yield* ChunkStore
  while ((yield* store.prune) > 0);
  while ((yield* store.index) > 0);
})

const remove = (content: Parameters<ContentStore["Service"]["remove"]>[0]) =>
  ContentStore.use((contents) => contents.remove(content))

const textsOf = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const texts: Array<string> = []
  const noting: Statement.Transformer = (statement) =>
    Effect.sync(() => {
      texts.push(statement.compile()[0])
      return statement
    })
  yield* Effect.provideService(effect, Statement.CurrentTransformer, noting)
  return texts
})

/** The index of an instance, and how many entries its table has. */
const indexOf = Effect.fnUntraced(function*(instance: string) {
  const sql = yield* SqlClient.SqlClient
  const [index] = yield* sql<{ readonly index_no: number; readonly chunks: number; readonly removed: number }>`
    select index_no, chunks::int as chunks, removed::int as removed from svc_vector_indexes where instance = ${instance}`
  if (index === undefined) return undefined
  const name = `svc_vectors_${index.index_no}`
  const [stored] = yield* sql<{ readonly count: number }>`select count(*)::int as count from ${sql(name)}`
  return { name, chunks: index.chunks, removed: index.removed, stored: stored?.count }
})

layer(stores, { excludeTestServices: true })("the entries of an index of vectors", (it) => {
  it.effect("a piece locks contents in a statement before the one that reads their chunks", () =>
    Effect.gen(function*() {
      const instance = instanceName()
      yield* publish({ instance }, chunks(2, "a"))
      const texts = yield* textsOf(indexAll)
      const locks = texts.flatMap((text, place) => text.includes("for no key update of s") ? [place] : [])
      const additions = texts.flatMap((text, place) => /insert into svc_vectors_\d/.test(text) ? [place] : [])
      assert.deepStrictEqual(additions, [(locks[0] ?? 0) + 1])
      assert.deepInclude(yield* indexOf(instance), { chunks: 2, removed: 0, stored: 2 })
    }))

  it.effect("the longest vectors are found in an index", () =>
    Effect.gen(function*() {
      const instance = instanceName()
      const embedding = { model: "demo:long", dimensions: 4096 }
      const vectorOf = (seed: number) => Float32Array.from({ length: 4096 }, (_, place) => Math.sin((place + 1) * seed))
      const long = Array.from({ length: 30 }, (_, place) => chunk(place + 1, { vector: vectorOf(place + 1) }))
      yield* publish({ instance }, long, embedding)
      yield* indexAll
      assert.deepInclude(yield* indexOf(instance), { chunks: 30, removed: 0, stored: 30 })
      const found = yield* search(instance, { _tag: "Vector", vector: vectorOf(7), embedding }, { limit: 3 })
      assert.strictEqual(found[0]?.chunk.index, 7)
    }))

  it.effect("an index from which more chunks were removed than it has is made anew", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const instance = instanceName()
      const owner = Owner.anyone
      const [few, many] = [yield* publish({ instance }, chunks(3, "few")), yield* publish({ instance }, chunks(9, "m"))]
      yield* publish({ instance }, chunks(6, "kept"))
      yield* indexAll
      const first = yield* indexOf(instance)
      assert.deepInclude(first, { chunks: 18, removed: 0, stored: 18 })
      yield* remove({ ...few, owner })
      yield* indexAll
      assert.deepStrictEqual(yield* indexOf(instance), { name: first?.name ?? "", chunks: 15, removed: 3, stored: 15 })
      yield* remove({ ...many, owner })
      yield* indexAll
      const second = yield* indexOf(instance)
      assert.deepInclude(second, { chunks: 6, removed: 0, stored: 6 })
      assert.notStrictEqual(second?.name, first?.name)
      assert.deepStrictEqual(yield* sql`select to_regclass(${first?.name ?? ""}) as found`, [{ found: null }])
      const found = yield* search(instance, byMeaning(1, 0, 0, 0))
      assert.sameMembers([...idsOf(found)], chunks(6, "kept").map(({ id }) => id))
    }))

  it.effect("the embedded database leaves removed entries in indexes, because taking them out blocks it for seconds", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const instance = instanceName()
      const gone = yield* publish({ instance }, chunks(110, "gone"))
      yield* publish({ instance }, chunks(120, "kept"))
      yield* indexAll
      const vacuumed = (options: { readonly all: boolean }) =>
        Effect.map(
          textsOf(Effect.andThen(sql`select pg_stat_force_next_flush()`, PgliteMaintenance.round(sql, options))),
          (texts) => texts.filter((text) => text.startsWith("VACUUM"))
        )
      const { name } = (yield* indexOf(instance)) ?? { name: "" }
      const all = yield* vacuumed({ all: true })
      assert.include(all, `VACUUM (PROCESS_TOAST false, INDEX_CLEANUP off) ${name}`)
      assert.include(all, "VACUUM (PROCESS_TOAST false, INDEX_CLEANUP auto) svc_chunks")
      yield* vacuumed({ all: false })
      yield* remove({ ...gone, owner: Owner.anyone })
      yield* indexAll
      assert.deepInclude(yield* indexOf(instance), { name, chunks: 120, removed: 110 })
      const changed = yield* vacuumed({ all: false })
      assert.include(changed, "VACUUM (PROCESS_TOAST false, INDEX_CLEANUP auto) svc_chunks")
      assert.isFalse(changed.some((text) => text.includes(name)))
      assert.deepStrictEqual(yield* vacuumed({ all: false }), [])
    }))
})
