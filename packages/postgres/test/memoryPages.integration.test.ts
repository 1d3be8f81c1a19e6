// Pages and searches of many memories.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { shortSearchLimit } from "@svc-runtime/features/memory/MemoryBudget"
import { MemoryStore } from "@svc-runtime/features/memory/MemoryStore"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

const all = 3100
const newest = { by: "updated_at", order: "desc" } as const

const list = (page: { readonly page: number; readonly limit: number }, filter: { readonly search?: string } = {}) =>
  Effect.map(
    MemoryStore.use((store) => store.list({ owner: Owner.anyone, ...filter }, page, newest)),
    ({ memories, total }) => ({ texts: memories.map(({ memory }) => memory), total })
  )

/** Memory number 1 is the oldest. */
const seeded = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_memories (memory_id, memory, topics, user_id, created_at, updated_at)
    select 'many-' || n, 'fact ' || n || case when n % 100 = 0 then ' zebra' else '' end || case n when 1 then ' oldest' else '' end,
      '[]', 'many', n, n from generate_series(1, ${all}::int) as n`
})

const texts = (...numbers: ReadonlyArray<number>) =>
  numbers.map((n) => `fact ${n}${n % 100 === 0 ? " zebra" : ""}${n === 1 ? " oldest" : ""}`)

layer(SqlStores.layer.pipe(Layer.provideMerge(PostgresLayer.layer)), { excludeTestServices: true })(
  "many memories of all users",
  (it) => {
    it.effect("a page far behind has the rows of its place, whether it is nearer to the start or to the end", () =>
      Effect.gen(function*() {
        yield* seeded
        for (const page of [101, 150, 156, 200, 309]) {
          const first = all - (page - 1) * 10
          const numbers = Array.from({ length: 10 }, (_, index) => first - index)
          assert.deepStrictEqual(yield* list({ page, limit: 10 }), { texts: texts(...numbers), total: all })
        }
        assert.deepStrictEqual(yield* list({ page: 310, limit: 10 }), {
          texts: texts(10, 9, 8, 7, 6, 5, 4, 3, 2, 1),
          total: all
        })
        assert.deepStrictEqual(yield* list({ page: 443, limit: 7 }), { texts: texts(6, 5, 4, 3, 2, 1), total: all })
        assert.deepStrictEqual(yield* list({ page: 311, limit: 10 }), { texts: [], total: all })
      }))

    it.effect("a search of all users has its pages in their order, whether it finds few or many", () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* list({ page: 2, limit: 3 }, { search: "ZEBRA" }), {
          texts: texts(2800, 2700, 2600),
          total: 31
        })
        assert.deepStrictEqual(yield* list({ page: 11, limit: 3 }, { search: "zebra" }), {
          texts: texts(100),
          total: 31
        })
        assert.deepStrictEqual(yield* list({ page: 12, limit: 3 }, { search: "zebra" }), { texts: [], total: 31 })
        const many = yield* list({ page: 1, limit: 2 }, { search: "fact" })
        assert.deepStrictEqual(many, { texts: texts(3100, 3099), total: 1002 })
        assert.deepStrictEqual((yield* list({ page: 1, limit: 2 }, { search: "oldest" })).total, 1)
      }))

    it.effect("without its index a search of all users reads the newest memories only", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql`drop index if exists svc_memories_text`
        const found = Effect.provide(
          list({ page: 1, limit: 2 }, { search: "oldest" }),
          Layer.fresh(SqlStores.layer),
          { local: true }
        )
        assert.isAbove(all, shortSearchLimit)
        assert.deepStrictEqual(yield* found, { texts: [], total: 0 })
        yield* sql`update svc_memories set updated_at = ${all + 1} where memory_id = 'many-1'`
        assert.deepStrictEqual(yield* found, { texts: texts(1), total: 1 })
      }))
  }
)
