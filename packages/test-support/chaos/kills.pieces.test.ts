// Work on many contents, which is done in pieces: removing all contents, and keeping the index of vectors.
import { assert, describe, it } from "@effect/vitest"
import * as Pglite from "@svc-runtime/postgres/Pglite"
import * as Postgres from "@svc-runtime/postgres/Postgres"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as ServiceClient from "@svc-runtime/test-support/ServiceClient"
import * as TemporaryDirectory from "@svc-runtime/test-support/TemporaryDirectory"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Kills from "./Kills.ts"
import * as Progress from "./Progress.ts"
import * as Subjects from "./Subjects.ts"

const removalPoints = [
  "removeall.before.1",
  "removeall.during.1",
  "removeall.after.1",
  "prune.before.1",
  "prune.during.1",
  "prune.after.1",
  "prune.during.2",
  "prune.after.2"
]

/** The first piece creates the index, and the others fill it. */
const indexPoints = [
  "index.before.1",
  "index.during.1",
  "index.after.1",
  "index.during.2",
  "index.after.2",
  "index.during.3",
  "index.after.3"
]

/** Of uploaded contents, whose removal needs three pieces. */
const many = 1200

const lines = Array.from({ length: 70 }, (_, index) => `word${index} handbook`).join("\n")

const upload = (url: string) => {
  const body = new FormData()
  for (const [field, text] of Object.entries({ text_content: lines, name: "lines", chunker: "RowChunker" })) {
    body.append(field, text)
  }
  const send = () => ServiceClient.send(`${url}/knowledge/content`, { init: { method: "POST", body } })
  return Effect.map(
    Effect.promise(() => ServiceClient.whileRefused(send)),
    ({ status, text }) => assert.strictEqual(status, 202, text)
  )
}

interface Listed {
  readonly data: ReadonlyArray<{ readonly status: string }>
  readonly meta: { readonly total_count: number }
}

const listed = (url: string) =>
  Effect.promise(() => ServiceClient.read(`${url}/knowledge/content?limit=1`) as Promise<Listed>)

const completed = (url: string) =>
  listed(url).pipe(
    Effect.tap(() => Effect.sleep("50 millis")),
    Effect.repeat({ until: ({ data }) => data[0]?.status === "completed" })
  )

/** The answer is lost where the service dies before it. */
const removeAll = (url: string) =>
  Effect.promise(() =>
    ServiceClient.whileRefused(() => ServiceClient.send(`${url}/knowledge/content`, { init: { method: "DELETE" } }))
  ).pipe(Effect.map(({ isWhole }) => isWhole))

/** When the job is executed, if the service does not execute it now. */
const schedule = (sql: SqlClient.SqlClient, kind: string, time: "1 day" | "0 days") =>
  sql`
    update svc_jobs set is_due = false, run_at = now() + ${time}::interval where kind = ${kind} and status = 'PENDING'`

/** The next service executes the job at once, as if it had not failed. */
const forget = (sql: SqlClient.SqlClient) => sql`delete from svc_jobs where kind = 'chunk_indexing'`

const tables = [
  "svc_contents",
  "svc_content_bodies",
  "svc_content_removals",
  "svc_chunks",
  "svc_chunk_texts",
  "svc_dead_chunks"
]

Tier.oneIn(2)

describe("a service that is killed between the pieces of work on many contents", () => {
  it.live("a killed service hides all contents or none, and completes their removal after its next start", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = yield* PostgresLayer.url
      const world = yield* Kills.world(Subjects.agent, { DATABASE_URL: Redacted.value(url) })
      const sql = Context.get(yield* Layer.build(Postgres.layer({ url, maxConnections: 1 })), SqlClient.SqlClient)
      const rowsOf = (table: string) =>
        Effect.map(
          sql<{ readonly count: number }>`select count(*)::int as count from ${sql(table)}`,
          ([row]) => row?.count
        )
      const isEmpty = Effect.map(Effect.forEach(tables, rowsOf), (counts) => counts.every((count) => count === 0))
      for (const point of Tier.some(removalPoints, 1)) {
        yield* Progress.watched(
          point,
          world.signs,
          Effect.gen(function*() {
            const first = yield* world.start
            yield* upload(first.url)
            yield* completed(first.url)
            yield* first.end("SIGKILL")
            yield* sql`
          insert into svc_contents (instance, content_id, status, generation, created_at, updated_at)
          select instance, ${point} || number, 'completed', nextval('svc_content_generations'), 1, 1
          from svc_contents cross join generate_series(1, ${many}::int) as number`
            yield* schedule(sql, "chunk_pruning", "1 day")
            const second = yield* world.startUntil(point)
            assert.strictEqual((yield* listed(second.url)).meta.total_count, many + 1)
            const isRemoved = yield* removeAll(second.url)
            if (isRemoved) assert.strictEqual((yield* listed(second.url)).meta.total_count, 0)
            yield* schedule(sql, "chunk_pruning", "0 days")
            assert.strictEqual(yield* second.ended, "SIGKILL", point)
            const third = yield* world.start
            const { meta } = yield* listed(third.url)
            assert.include(isRemoved ? [0] : [0, many + 1], meta.total_count, point)
            if (meta.total_count > 0) assert.isTrue(yield* removeAll(third.url))
            assert.strictEqual((yield* listed(third.url)).meta.total_count, 0)
            yield* schedule(sql, "chunk_pruning", "0 days").pipe(
              Effect.andThen(Effect.sleep("100 millis")),
              Effect.andThen(isEmpty),
              Effect.repeat({ until: (isDone) => isDone })
            )
            yield* third.end("SIGKILL")
          })
        )
      }
    })))

  it.live("a killed service has each chunk in the index of vectors once after its next start", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* TemporaryDirectory.withDatabase
      const world = yield* Kills.world(Subjects.agent, { DATA_DIR: directory })
      /** No process has the directory meanwhile. */
      const between = <A, E>(use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
        Effect.scoped(
          Effect.flatMap(
            Layer.build(Pglite.layer({ dataDir: directory })),
            (context) => use(Context.get(context, SqlClient.SqlClient))
          )
        )
      const first = yield* world.start
      yield* upload(first.url)
      yield* completed(first.url)
      yield* first.end("SIGKILL")
      for (const point of Tier.some(indexPoints, 1)) {
        yield* Progress.watched(
          point,
          world.signs,
          Effect.gen(function*() {
            yield* between((sql) =>
              Effect.gen(function*() {
                for (
                  const { index_no } of yield* sql<
                    { readonly index_no: number }
                  >`delete from svc_vector_indexes returning index_no`
                ) {
                  yield* sql.unsafe(`drop table svc_vectors_${index_no}`)
                }
                yield* sql`update svc_contents set indexed = null`
                yield* forget(sql)
              })
            )
            assert.strictEqual(yield* Effect.flatMap(world.startUntil(point), ({ ended }) => ended), "SIGKILL", point)
            yield* between(forget)
            const last = yield* world.start
            yield* last.saying("the indexes of vectors are complete again")
            yield* last.end("SIGKILL")
            yield* between((sql) =>
              Effect.gen(function*() {
                const [index] = yield* sql<{ readonly index_no: number }>`select index_no from svc_vector_indexes`
                const places = yield* sql.unsafe<{ readonly place: number }>(
                  `select v.place from svc_vectors_${index?.index_no} v join svc_chunks c using (chunk_no) order by v.place`
                )
                assert.strictEqual(places.length, lines.split("\n").length, point)
                assert.strictEqual(new Set(places.map(({ place }) => place)).size, places.length, point)
                const unindexed = yield* sql`select 1 from svc_contents where indexed is distinct from published`
                assert.deepStrictEqual(unindexed, [], point)
              })
            )
          })
        )
      }
    })))
})
