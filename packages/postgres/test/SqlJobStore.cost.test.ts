// What the search for the next job reads: as much where one key has many due jobs as where each key has one.
import { assert, layer } from "@effect/vitest"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { acquire, finish } from "@svc-runtime/test-support/suites/jobs/Jobs"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { pagesOfCall } from "./pagesOf.ts"
import { Stores } from "./Stores.ts"

Tier.oneIn(3)

const rows = 5000

/** As many due jobs of as many keys, after which one job of a key of its own is due. */
const fill = (kind: string, keys: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`
      insert into svc_jobs (id, kind, key, status, payload, max_attempts, is_due, turn, run_at)
      select ${kind} || n, ${kind}, 'key-' || n % ${keys}::int, 'PENDING', 'null'::json, 1, true, n / ${keys}::int, now()
      from generate_series(0, ${rows - 1}::int) n
      union all select ${kind} || 'last', ${kind}, 'last', 'PENDING', 'null'::json, 1, true, ${rows}, now()`)

layer(Stores.pipe(Layer.provideMerge(PgliteLayer.layerCopied)))("What the search for jobs costs", (it) => {
  it.effect.each([["one key", 1], ["few keys", 40], ["many keys", 500]] as const)(
    "the next jobs are found without reading all jobs of %s that are executed",
    ([, keys]) =>
      Effect.gen(function*() {
        const [jobs, sql] = [yield* JobStore, yield* SqlClient.SqlClient]
        const kind = `kind-${keys}`
        yield* fill(kind, keys)
        yield* sql`vacuum analyze svc_jobs`
        const executed = yield* acquire(kind, Math.min(keys, 10))
        assert.deepStrictEqual(
          executed.map(({ id }) => id).toSorted(),
          Array.from({ length: Math.min(keys, 10) }, (_, n) => `${kind}${n}`)
        )
        const pages = yield* pagesOfCall(jobs.acquire({ node: "node", slots: { [kind]: 2 } }))
        assert.isBelow(pages, keys === 1 ? 100 : 600)
        const next = (yield* acquire(kind, keys)).map(({ id }) => id)
        if (keys === 1) assert.deepStrictEqual(next, [`${kind}last`])
        else assert.include(next, `${kind}${keys - 1}`)
        yield* Effect.forEach(executed, (lease) => finish(lease))
        const [following] = yield* acquire(kind)
        assert.strictEqual(following?.id, `${kind}${keys === 1 ? 1 : keys}`)
      })
  )
})

layer(Stores.pipe(Layer.provideMerge(PgliteLayer.layerCopied)))(
  "What the search for jobs costs without due jobs",
  (it) => {
    it.effect("a search reads the same few pages for one kind and for many, while no job is due", () =>
      Effect.gen(function*() {
        const [jobs, sql] = [yield* JobStore, yield* SqlClient.SqlClient]
        yield* fill("kind", 40)
        yield* sql`update svc_jobs set status = 'COMPLETED'`
        yield* sql`vacuum analyze svc_jobs`
        const kinds = Array.from({ length: 30 }, (_, n) => [`kind${n}`, 2] as const)
        const one = yield* pagesOfCall(jobs.acquire({ node: "node", slots: { kind: 2 } }))
        assert.strictEqual(yield* pagesOfCall(jobs.acquire({ node: "node", slots: Object.fromEntries(kinds) })), one)
        assert.isBelow(one, 10)
      }))
  }
)

layer(Stores.pipe(Layer.provideMerge(PgliteLayer.layerCopied)))(
  "What the search for jobs costs without statistics",
  (it) => {
    it.effect("the first jobs of many keys are found before the database has counted the jobs", () =>
      Effect.gen(function*() {
        const jobs = yield* JobStore
        yield* fill("kind", 200)
        const pages = yield* pagesOfCall(jobs.acquire({ node: "node", slots: { kind: 200 } }))
        assert.isBelow(pages, 20_000)
      }))
  }
)
