// Several processes that start on one new database at the same moment.
import { assert, it } from "@effect/vitest"
import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as Sample from "@svc/testing/Sample"
import { Deferred, Effect, Redacted } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { migrations } from "../src/DatabaseContents.ts"
import * as Migrations from "../src/Migrations.ts"
import * as Postgres from "../src/Postgres.ts"

Sample.oneTestIn(3)

it.effect(
  "migrations run once when many processes start at once, and all of them wait until they have",
  () =>
    Effect.gen(function*() {
      const taken = yield* Effect.forEach(Array.from({ length: 8 }), () => Migrations.run, { concurrency: "unbounded" })
      const all = yield* migrations
      assert.deepStrictEqual(taken.map((steps) => steps.length).toSorted((a, b) => b - a), [
        all.length,
        0,
        0,
        0,
        0,
        0,
        0,
        0
      ])
    }).pipe(Effect.provide(PostgresLayer.layerEmpty))
)

/** A migration that takes five seconds, in statements of a second. */
const slowly = (sql: SqlClient.SqlClient, begun: Deferred.Deferred<void>): Statement.Transformer => (statement) =>
  statement.compile()[0].includes("create table svc_sessions")
    ? Deferred.succeed(begun, undefined).pipe(
      Effect.andThen(Effect.orDie(Effect.repeat(sql`select pg_sleep(1)`, { times: 4 }))),
      Effect.as(statement)
    )
    : Effect.succeed(statement)

it.live(
  "a start waits for the migrations of another one longer than a statement may take",
  () =>
    Effect.gen(function*() {
      const url = new URL(Redacted.value(yield* PostgresLayer.emptyUrl))
      url.searchParams.set("options", "-c statement_timeout=4000")
      const database = Postgres.layer({ url: Redacted.make(url.href) })
      const [first, second] = yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const begun = yield* Deferred.make<void>()
        const slow = Effect.provideService(Migrations.run, Statement.CurrentTransformer, slowly(sql, begun))
        return yield* Effect.all([slow, Effect.andThen(Deferred.await(begun), Migrations.run)], {
          concurrency: "unbounded"
        })
      }).pipe(Effect.provide(database))
      assert.strictEqual(first.length, (yield* migrations).length)
      assert.deepStrictEqual(second, [])
    }).pipe(Effect.scoped)
)

it.live("a migration whose connection the server closes is rolled back and runs again", () =>
  Effect.gen(function*() {
    let closed = 0
    const sql = yield* SqlClient.SqlClient
    const closing: Statement.Transformer = (statement) =>
      closed < 2 && statement.compile()[0].includes("create table svc_jobs")
        ? Effect.as(Effect.ignore(sql`select pg_terminate_backend(pg_backend_pid())`), (closed++, statement))
        : Effect.succeed(statement)
    const steps = yield* Effect.provideService(Migrations.run, Statement.CurrentTransformer, closing)
    assert.deepStrictEqual([closed, steps.length], [2, (yield* migrations).length])
    assert.deepStrictEqual(yield* Migrations.run, [])
  }).pipe(Effect.provide(PostgresLayer.layerEmpty)))
