// Several processes that start on one new database at the same moment.
import { assert, it } from "@effect/vitest"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber, Redacted } from "effect"
import { SqlClient, Statement } from "effect/sql"
import * as Migrations from "../src/Migrations.ts"
import * as Postgres from "../src/Postgres.ts"

const allMigrations = SqlStores.sets.flatMap(({ migrations }) => migrations).length

Tier.oneIn(12)

it.effect(
  "migrations run once when many processes start at once, and all of them wait until they have",
  () =>
    Effect.gen(function*() {
      const taken = yield* Effect.forEach(Array.from({ length: 8 }), () => SqlStores.migrate, {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(taken.map((steps) => steps.length).toSorted((a, b) => b - a), [
        allMigrations,
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

/** A migration that takes seconds, in statements of a second. `part` is of one of its own statements. */
const slowly = (
  sql: SqlClient.SqlClient,
  begun: Deferred.Deferred<void>,
  part = "create table svc_sessions",
  seconds = 5
): Statement.Transformer =>
(statement) =>
  statement.compile()[0].includes(part)
    ? Deferred.succeed(begun, undefined).pipe(
      Effect.andThen(Effect.orDie(Effect.repeat(sql`select pg_sleep(1)`, { times: seconds - 1 }))),
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
        const slow = Effect.provideService(SqlStores.migrate, Statement.CurrentTransformer, slowly(sql, begun))
        return yield* Effect.all([slow, Effect.andThen(Deferred.await(begun), SqlStores.migrate)], {
          concurrency: "unbounded"
        })
      }).pipe(Effect.provide(database))
      assert.strictEqual(first.length, allMigrations)
      assert.deepStrictEqual(second, [])
    }).pipe(Effect.scoped)
)

/** The database of a service that had the engine only. */
const engine = Effect.gen(function*() {
  const sets = SqlStores.sets
  yield* Effect.provideService(Migrations.run, Migrations.MigrationSets, sets.slice(0, 1))
})

it.live("a start on a database that lacks migrations waits for the migrations of another one too", () =>
  Effect.gen(function*() {
    const url = new URL(Redacted.value(yield* PostgresLayer.emptyUrl))
    url.searchParams.set("options", "-c statement_timeout=4000")
    yield* Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* engine
      const begun = yield* Deferred.make<void>()
      const slow = Effect.provideService(
        SqlStores.migrate,
        Statement.CurrentTransformer,
        slowly(sql, begun, "create table svc_span_packs")
      )
      const [first, second] = yield* Effect.all([slow, Effect.andThen(Deferred.await(begun), SqlStores.migrate)], {
        concurrency: "unbounded"
      })
      assert.isNotEmpty(first)
      assert.deepStrictEqual(second, [])
    }).pipe(Effect.provide(Postgres.layer({ url: Redacted.make(url.href) })))
  }).pipe(Effect.scoped))

it.live("the schema that another process migrates is not waited for, and the response says so", () =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* engine
    const { state } = yield* Effect.provideService(Migrations.schema, Migrations.MigrationSets, SqlStores.sets)
    const begun = yield* Deferred.make<void>()
    const slow = Effect.provideService(
      SqlStores.migrate,
      Statement.CurrentTransformer,
      slowly(sql, begun, "create table svc_span_packs", 2)
    )
    const migrating = yield* Effect.forkChild(slow)
    yield* Deferred.await(begun)
    const failure = yield* Effect.flip(state)
    assert.deepInclude(failure, { _tag: "StorageUnavailable", isMigrating: true })
    assert.strictEqual(failure.message, "Another process migrates the database. Try again when it has ended.")
    assert.isNotEmpty(yield* Fiber.join(migrating))
    assert.isEmpty((yield* state).pending)
  }).pipe(Effect.provide(PostgresLayer.layerEmpty)))

it.live("migrations that end in a deadlock are rolled back and run again", () =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    let failures = 0
    const failing: Statement.Transformer = (statement) =>
      failures < 2 && statement.compile()[0].includes("create table svc_jobs")
        ? Effect.succeed((failures++, sql`do $$ begin raise deadlock_detected; end $$`))
        : Effect.succeed(statement)
    const steps = yield* Effect.provideService(SqlStores.migrate, Statement.CurrentTransformer, failing)
    assert.deepStrictEqual([failures, steps.length], [2, allMigrations])
  }).pipe(Effect.provide(PostgresLayer.layerEmpty)))

it.live("a migration whose connection the server closes is rolled back and runs again", () =>
  Effect.gen(function*() {
    let closed = 0
    const sql = yield* SqlClient.SqlClient
    const closing: Statement.Transformer = (statement) =>
      closed < 2 && statement.compile()[0].includes("create table svc_jobs")
        ? Effect.as(Effect.ignore(sql`select pg_terminate_backend(pg_backend_pid())`), (closed++, statement))
        : Effect.succeed(statement)
    const steps = yield* Effect.provideService(SqlStores.migrate, Statement.CurrentTransformer, closing)
    assert.deepStrictEqual([closed, steps.length], [2, allMigrations])
    assert.deepStrictEqual(yield* SqlStores.migrate, [])
  }).pipe(Effect.provide(PostgresLayer.layerEmpty)))
