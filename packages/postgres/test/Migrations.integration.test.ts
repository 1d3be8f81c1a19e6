// Several processes that start on one new database at the same moment.
import { assert, it } from "@effect/vitest"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber, Logger, Redacted } from "effect"
import { Migrator, SqlClient, Statement } from "effect/sql"
import { migrations } from "../src/DatabaseContents.ts"
import * as Migrations from "../src/Migrations.ts"
import * as Postgres from "../src/Postgres.ts"

Tier.oneIn(10)

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
        const slow = Effect.provideService(Migrations.run, Statement.CurrentTransformer, slowly(sql, begun))
        return yield* Effect.all([slow, Effect.andThen(Deferred.await(begun), Migrations.run)], {
          concurrency: "unbounded"
        })
      }).pipe(Effect.provide(database))
      assert.strictEqual(first.length, (yield* migrations).length)
      assert.deepStrictEqual(second, [])
    }).pipe(Effect.scoped)
)

/** The database as an older version has left it. */
const migratedUntil = (last: number) =>
  Migrator.make({})({
    loader: Effect.map(migrations, (all) => all.filter(([id]) => id <= last)),
    table: Migrations.table
  })

it.live("a start on a database of an older version waits for the migrations of another one too", () =>
  Effect.gen(function*() {
    const url = new URL(Redacted.value(yield* PostgresLayer.emptyUrl))
    url.searchParams.set("options", "-c statement_timeout=4000")
    yield* Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* migratedUntil(210)
      const begun = yield* Deferred.make<void>()
      const slow = Effect.provideService(
        Migrations.run,
        Statement.CurrentTransformer,
        slowly(sql, begun, "create table svc_span_packs")
      )
      const [first, second] = yield* Effect.all([slow, Effect.andThen(Deferred.await(begun), Migrations.run)], {
        concurrency: "unbounded"
      })
      assert.isNotEmpty(first)
      assert.deepStrictEqual(second, [])
    }).pipe(Effect.provide(Postgres.layer({ url: Redacted.make(url.href) })))
  }).pipe(Effect.scoped))

it.live("the schema that another process migrates is not waited for, and the response says so", () =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* migratedUntil(210)
    const { state } = yield* Migrations.schema
    const begun = yield* Deferred.make<void>()
    const slow = Effect.provideService(
      Migrations.run,
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

it.live("a migration waits for a transaction that reads the tables of traces, and the log says so once", () =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* migratedUntil(210)
    const lines: Array<string> = []
    const logged = yield* Deferred.make<void>()
    const logger = Logger.make(({ message }) => {
      lines.push(String(message))
      Deferred.doneUnsafe(logged, Effect.void)
    })
    const reads = yield* Deferred.make<void>()
    const reader = yield* sql`select from svc_trace_removals`.pipe(
      Effect.andThen(Deferred.succeed(reads, undefined)),
      Effect.andThen(Deferred.await(logged)),
      sql.withTransaction,
      Effect.forkChild
    )
    yield* Deferred.await(reads)
    assert.isNotEmpty(yield* Effect.provide(Migrations.run, Logger.layer([logger])))
    yield* Fiber.join(reader)
    assert.deepStrictEqual(lines, [
      "A migration waits for transactions that use the tables of traces, such as a backup"
    ])
  }).pipe(Effect.provide(PostgresLayer.layerEmpty)))

it.live("migrations that end in a deadlock are rolled back and run again", () =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    let failures = 0
    const failing: Statement.Transformer = (statement) =>
      failures < 2 && statement.compile()[0].includes("create table svc_jobs")
        ? Effect.succeed((failures++, sql`do $$ begin raise deadlock_detected; end $$`))
        : Effect.succeed(statement)
    const steps = yield* Effect.provideService(Migrations.run, Statement.CurrentTransformer, failing)
    assert.deepStrictEqual([failures, steps.length], [2, (yield* migrations).length])
  }).pipe(Effect.provide(PostgresLayer.layerEmpty)))

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
