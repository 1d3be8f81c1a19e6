// Searches by meaning in an index of pgvector: as complete as without it, and whole while it is filled.
import { assert, describe, it, layer } from "@effect/vitest"
import * as KnowledgeFilter from "@svc-runtime/domain/KnowledgeFilter"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Vector from "@svc-runtime/domain/Vector"
import * as StoreLimits from "@svc-runtime/engine/limits/StoreLimits"
import { ChunkStore } from "@svc-runtime/features/knowledge/ChunkStore"
import { ContentStore } from "@svc-runtime/features/knowledge/ContentStore"
import type * as Knowledge from "@svc-runtime/features/knowledge/Knowledge"
import { chunk, idsOf, instanceName, publish, search } from "@svc-runtime/features/knowledge/test/SampleKnowledge"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { userId } from "@svc-runtime/test-support/suites/Samples"
import * as TemporaryDirectory from "@svc-runtime/test-support/TemporaryDirectory"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Layer, Logger, Result } from "effect"
import { SqlClient, Statement } from "effect/sql"
import * as Pglite from "../src/Pglite.ts"
import * as PgliteMaintenance from "../src/pglite/PgliteMaintenance.ts"

const dimensions = 1024
const embedding: Knowledge.Embedding = { model: "demo:indexed", dimensions }
const least = 300
const chunksOfContent = 60

/** The same numbers each time. */
const randomOf = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}
const random = randomOf(7)
const noise = () => random() + random() + random() - 1.5

const centers = Array.from({ length: 12 }, () => Float32Array.from({ length: dimensions }, noise))
const near = (place: number) =>
  (centers[place % centers.length] ?? new Float32Array()).map((number) => number + noise())

const made = Array.from({ length: 480 }, (_, place) => near(place))
const queries = Array.from({ length: 12 }, (_, place) => near(place))

const chunksFrom = (from: number) =>
  made.slice(from, from + chunksOfContent).map((vector, place) =>
    chunk(place + 1, { id: `chunk${from + place}`, vector })
  )

const exact = (query: Float32Array, from = 0, to = made.length, limit = 10) =>
  made.map((vector, place) => ({ id: `chunk${place}`, place, score: Vector.cosine(query, vector) }))
    .filter(({ place }) => place >= from && place < to)
    .sort((left, right) => right.score - left.score)
    .slice(0, limit)
    .map(({ id }) => id)

const byMeaning = (vector: Float32Array) => ({ _tag: "Vector", vector, embedding }) as const

/** How many of the nearest chunks searches find. */
const recallIn = Effect.fnUntraced(function*(instance: string, from = 0, to = made.length, query = {}) {
  let [found, wanted] = [0, 0]
  for (const vector of queries) {
    const ids = new Set(idsOf(yield* search(instance, byMeaning(vector), query)))
    const nearest = exact(vector, from, to)
    found += nearest.filter((id) => ids.has(id)).length
    wanted += nearest.length
  }
  return found / wanted
})

const fillIndex = Effect.gen(function*() {
  const store = yield* ChunkStore
  let total = 0
  for (;;) {
    const count = yield* store.index
    if (count === 0) return total
    total += count
  }
})

/** The statements of an effect that read an index, and the statements that compare all chunks. */
const searchesOf = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const count = { indexed: 0, scanned: 0 }
  const noting: Statement.Transformer = (statement) =>
    Effect.sync(() => {
      const [text] = statement.compile()
      if (text.includes("nearest as materialized")) count.indexed++
      else if (text.includes("bit_count")) count.scanned++
      return statement
    })
  yield* Effect.provideService(effect, Statement.CurrentTransformer, noting)
  return count
})

const stores = SqlStores.layer.pipe(
  Layer.provide(StoreLimits.layerWith({ minIndexedChunks: () => least })),
  Layer.provideMerge(PgliteLayer.layerCopied)
)

layer(stores, { excludeTestServices: true })("the index of vectors", (it) => {
  it.effect.runIf(Tier.isWhole)(
    "searches find the nearest chunks in the index, while it is filled, and without it",
    () =>
      Effect.gen(function*() {
        const store = yield* ChunkStore
        const sql = yield* SqlClient.SqlClient
        const instance = instanceName()
        const user_id = userId()
        for (let from = 0; from < 420; from += chunksOfContent) {
          const fields = { instance, metadata: { from }, user_id: from === 0 ? user_id : null }
          yield* publish(fields, chunksFrom(from), embedding)
        }
        assert.isAtLeast(yield* recallIn(instance, 0, 420), 0.98)
        yield* store.index
        yield* store.index
        assert.isAtLeast(yield* recallIn(instance, 0, 420), 0.98)
        assert.isAtLeast(yield* fillIndex, 400)
        assert.isAtLeast(yield* recallIn(instance, 0, 420), 0.98)
        assert.deepStrictEqual(yield* searchesOf(recallIn(instance)), { indexed: queries.length, scanned: 0 })

        // a content that is not indexed yet
        const added = yield* publish({ instance }, chunksFrom(420), embedding)
        assert.isAtLeast(yield* recallIn(instance), 0.98)
        yield* fillIndex
        assert.isAtLeast(yield* recallIn(instance), 0.98)

        // owner and filter hold in the index, and few matches are compared without it
        const other = Owner.user(userId())
        assert.isAtLeast(yield* recallIn(instance, 60, 480, { owner: other }), 0.98)
        const filter = Result.getOrThrow(KnowledgeFilter.parse({ from: 120 }))
        assert.isAtLeast(yield* recallIn(instance, 120, 180, { filter }), 0.98)

        // a removed content is not found, and leaves the index
        const contents = yield* ContentStore
        yield* contents.remove({ ...added, owner: Owner.anyone })
        assert.isAtLeast(yield* recallIn(instance, 0, 420), 0.98)
        while ((yield* store.prune) > 0);
        yield* fillIndex
        const [index] = yield* sql<{ index_no: number }>`select index_no from svc_vector_indexes`
        const table = sql.literal(`svc_vectors_${index?.index_no}`)
        assert.deepStrictEqual(yield* sql`select count(*)::int as count from ${table}`, [{ count: 420 }])
        assert.deepStrictEqual(yield* sql`select count(*)::int as count from svc_dead_vectors`, [{ count: 0 }])

        // an index that fails
        yield* sql`drop extension vector cascade`
        yield* sql`drop table ${table}`
        assert.isAtLeast(yield* recallIn(instance, 0, 420), 0.98)
      })
  )
})

describe("a data directory with an index of vectors", () => {
  it.live(
    "the directory opens without pgvector, and its index is used again when it is there",
    () =>
      Effect.gen(function*() {
        const dataDir = yield* TemporaryDirectory.make
        const [instance, few] = [instanceName(), chunksFrom(0)]
        const opened = (minIndexedChunks: StoreLimits.Limits["minIndexedChunks"]) =>
          SqlStores.layer.pipe(
            Layer.provide(StoreLimits.layerWith({ minIndexedChunks })),
            Layer.provideMerge(Pglite.layer({ dataDir, durable: false, hasVectors: minIndexedChunks !== undefined }))
          )
        const content = yield* Effect.gen(function*() {
          const first = yield* publish({ instance }, few, embedding)
          yield* publish({ instance }, chunksFrom(chunksOfContent), embedding)
          yield* fillIndex
          return first
        }).pipe(Effect.provide(opened(() => 1)))

        yield* Effect.gen(function*() {
          const store = yield* ChunkStore
          const sql = yield* SqlClient.SqlClient
          assert.strictEqual(yield* recallIn(instance, 0, 120), 1)
          yield* ContentStore.use((contents) => contents.remove({ ...content, owner: Owner.anyone }))
          assert.strictEqual(yield* store.prune, chunksOfContent)
          assert.strictEqual(yield* store.index, 0)
          assert.strictEqual(yield* recallIn(instance, 60, 120), 1)
          assert.isAbove((yield* PgliteMaintenance.round(sql, { all: true })).vacuumed, 30)
        }).pipe(Effect.provide(opened(undefined)))

        yield* Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          assert.strictEqual(yield* fillIndex, chunksOfContent)
          assert.deepStrictEqual(yield* sql`select count(*)::int as count from svc_vectors_1`, [{
            count: chunksOfContent
          }])
          assert.strictEqual(yield* recallIn(instance, 60, 120), 1)
        }).pipe(Effect.provide(opened(() => 1)))
      }).pipe(Effect.scoped)
  )
})

describe("a database whose role may not create extensions", () => {
  it.effect("the log says once what an administrator can do, and the index is made after it", () => {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => {
      lines.push(String(message))
    })
    return Effect.gen(function*() {
      const [store, sql] = [yield* ChunkStore, yield* SqlClient.SqlClient]
      const { instance } = yield* publish({}, chunksFrom(0), embedding)
      yield* sql`create role plain`
      yield* sql`grant all on all tables in schema public to plain`
      yield* sql`grant all on schema public to plain`
      yield* sql`set role plain`
      assert.deepStrictEqual([yield* store.index, yield* store.index], [0, 0])
      assert.strictEqual(yield* recallIn(instance, 0, chunksOfContent), 1)
      yield* sql`reset role`
      assert.strictEqual(lines.length, 1)
      assert.match(lines[0] ?? "", /^Knowledge is searched without pgvector: `create extension vector` failed/)
      assert.match(lines[0] ?? "", /permission denied/)
      assert.isAtLeast(yield* fillIndex, chunksOfContent)
    }).pipe(
      Effect.provide(SqlStores.layer.pipe(
        Layer.provide(StoreLimits.layerWith({ minIndexedChunks: () => 1 })),
        Layer.provideMerge(PgliteLayer.layerCopied)
      )),
      Effect.provide(Logger.layer([logger]))
    )
  })
})
