// A server without pgvector: searches by meaning are made without an index.
import { assert, layer } from "@effect/vitest"
import * as StoreLimits from "@svc-runtime/engine/limits/StoreLimits"
import { ChunkStore } from "@svc-runtime/features/knowledge/ChunkStore"
import { byMeaning, chunk, publish, search } from "@svc-runtime/features/knowledge/test/SampleKnowledge"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"

const lines: Array<string> = []
const logger = Logger.make(({ message }) => {
  lines.push(String(message))
})

const stores = SqlStores.layer.pipe(
  Layer.provide(StoreLimits.layerWith({ minIndexedChunks: () => 1 })),
  Layer.provideMerge(PostgresLayer.layer),
  Layer.provideMerge(Logger.layer([logger]))
)

layer(stores, { excludeTestServices: true })("the index of vectors on PostgreSQL", (it) => {
  it.effect("a server without pgvector is searched without an index, and the log says so once", () =>
    Effect.gen(function*() {
      const [store, sql] = [yield* ChunkStore, yield* SqlClient.SqlClient]
      const { instance } = yield* publish({}, [chunk(1), chunk(2)])
      const [offered] = yield* sql`select 1 from pg_available_extensions where name = 'vector'`
      for (let piece = 0; piece < 3; piece++) yield* store.index
      assert.strictEqual((yield* search(instance, byMeaning(1, 0, 0, 0))).length, 2)
      const logged = lines.filter((line) => line.includes("without pgvector"))
      assert.deepStrictEqual(
        logged,
        offered === undefined
          ? ["Knowledge is searched without pgvector: the database server does not have it"]
          : []
      )
    }))
})
