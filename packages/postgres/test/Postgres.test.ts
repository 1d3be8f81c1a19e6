// The pool of connections to a real server, which these tests stop and start: it is not shared with other files.
import { assert, describe, layer } from "@effect/vitest"
import { EmbeddedPostgres } from "@svc-runtime/test-support/EmbeddedPostgres"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, Logger, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { inspect } from "node:util"
import * as Postgres from "../src/Postgres.ts"

Tier.oneIn(12)

const range = (length: number) => Array.from({ length }, (_, index) => index + 1)

const reasonOf = (exit: Exit.Exit<unknown, unknown>) => {
  const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
  return error instanceof Object && "reason" in error
    ? error.reason as { readonly _tag: string; readonly cause: { readonly code?: string; readonly message: string } }
    : assert.fail(`Not an SqlError: ${String(exit)}`)
}

/** A client of the server of this file, for as long as the test runs. */
const connect = Effect.fnUntraced(function*(
  options?: Omit<Postgres.Options, "url"> & { readonly change?: (url: URL) => void }
) {
  const server = yield* EmbeddedPostgres
  const url = new URL(Redacted.value(server.url))
  options?.change?.(url)
  const context = yield* Layer.build(Layer.fresh(Postgres.layer({ ...options, url: Redacted.make(url.href) })))
  return Context.get(context, SqlClient.SqlClient)
})

const refusal = Effect.fnUntraced(function*(options: Parameters<typeof connect>[0]) {
  const error = yield* Effect.flip(connect(options))
  return error._tag === "DatabaseUnreachable" ? error : assert.fail(String(error))
})

/** Every one of them is in use at the same time. */
const useConnections = (sql: SqlClient.SqlClient, count: number) =>
  Effect.gen(function*() {
    const allIn = yield* Deferred.make<void>()
    let inside = 0
    const hold = sql.withTransaction(Effect.gen(function*() {
      yield* sql`SELECT 1`
      if (++inside === count) yield* Deferred.succeed(allIn, undefined)
      yield* Deferred.await(allIn)
    }))
    yield* Effect.forEach(range(count), () => hold, { concurrency: "unbounded", discard: true })
  })

const isAsleep = (sql: SqlClient.SqlClient) =>
  sql<{ asleep: boolean }>`
    SELECT count(*) > 0 AS asleep FROM pg_stat_activity
    WHERE state = 'active' AND query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()
  `.pipe(Effect.map(([row]) => row?.asleep === true))

layer(EmbeddedPostgres.layer, { excludeTestServices: true })("PostgreSQL", (it) => {
  describe("at the start", () => {
    it.effect("a connection has the name of the service, uses UTC, and limits the time of statements", () =>
      Effect.gen(function*() {
        const sql = yield* connect()
        assert.deepStrictEqual(
          yield* sql`
            SELECT current_setting('application_name') AS name, current_setting('TimeZone') AS zone,
              current_setting('statement_timeout') AS statement,
              current_setting('idle_in_transaction_session_timeout') AS idle`,
          [{ name: "svc", zone: "UTC", statement: "30s", idle: "1min" }]
        )
      }))

    it.effect("no statement is compiled, which takes seconds where it takes milliseconds, unless the url asks for it", () =>
      Effect.gen(function*() {
        const jitOf = (sql: SqlClient.SqlClient) => sql`SELECT current_setting('jit') AS jit`
        assert.deepStrictEqual(yield* jitOf(yield* connect()), [{ jit: "off" }])
        for (const [options, jit] of [["-c JIT=on", "on"], ["-c search_path=jitters", "off"]] as const) {
          const change = (url: URL) => url.searchParams.set("options", options)
          assert.deepStrictEqual(yield* jitOf(yield* connect({ change })), [{ jit }])
        }
      }))

    it.effect("a limit in the url wins, and that of the server stays when configured so", () =>
      Effect.gen(function*() {
        const sql = yield* connect({
          idleTransactionTimeout: "Infinity",
          change: (url) => url.searchParams.set("options", "-c statement_timeout=5000")
        })
        assert.deepStrictEqual(
          yield* sql`
            SELECT current_setting('statement_timeout') AS statement,
              current_setting('idle_in_transaction_session_timeout') AS idle`,
          [{ statement: "5s", idle: "0" }]
        )
      }))

    it.effect("a wrong password is refused at once, and never shown", () =>
      Effect.gen(function*() {
        const { port } = new URL(Redacted.value((yield* EmbeddedPostgres).url))
        const error = yield* refusal({ change: (url) => url.password = "hunter2" })
        assert.strictEqual(
          error.message,
          `The database "postgres" on 127.0.0.1:${port} cannot be used: ` +
            "password authentication failed for user \"postgres\" (28P01)"
        )
        assert.notInclude(inspect(error, { depth: 9, showHidden: true }), "hunter2")
      }))

    it.effect("a database that does not exist is refused at once", () =>
      Effect.gen(function*() {
        const error = yield* refusal({ change: (url) => url.pathname = "/missing" })
        assert.include(error.message, "database \"missing\" does not exist")
      }))

    it.effect("a server without encryption is refused at once when the url requires it", () =>
      Effect.gen(function*() {
        const error = yield* refusal({ change: (url) => url.searchParams.set("sslmode", "require") })
        assert.include(error.message, "does not support TLS")
      }))

    it.effect.each(
      [
        ["postgres//app:hunter2@db/app", "it does not begin with postgres://"],
        ["mysql://app:hunter2@db/app", "it does not begin with postgres://"],
        ["host=db user=app password=hunter2", "it does not begin with postgres://"],
        ["postgres://app:hunter2@db:x/app", "its port is no number up to 65535"],
        ["postgres://app:hunter2@db:99999/app", "its port is no number up to 65535"],
        ["postgres://app:hunter2@d b/app", "its host is not valid"],
        ["postgres://app:hunter2@[::1/app", "its host is not valid"],
        [
          "postgres://app:hunter2/@db/app",
          "the user or the password contains /, ? or #, write them as %2F, %3F and %23"
        ],
        ["postgres://app:hunter2%zz@db/app", "it contains a % that begins no escape, write it as %25"]
      ] as const
    )(
      "The error of an invalid URL says what is wrong with it, and nothing of it: %s.",
      ([url, problem]) =>
        Effect.gen(function*() {
          const error = yield* Effect.flip(Effect.scoped(Layer.build(Postgres.layer({ url: Redacted.make(url) }))))
          const form = "postgres://user:password@host:port/database"
          assert.strictEqual(error.message, `DATABASE_URL must be of the form ${form}: ${problem}`)
          assert.notInclude(inspect(error, { depth: 9, showHidden: true }), "hunter2")
        })
    )

    it.effect("the start waits for a server that is not up yet, and logs that once", () =>
      Effect.gen(function*() {
        const server = yield* EmbeddedPostgres
        yield* server.stop
        const waiting = yield* Deferred.make<void>()
        const logged: Array<string> = []
        const log = Logger.make(({ message }) => {
          logged.push(String(message))
          Deferred.doneUnsafe(waiting, Effect.void)
        })
        const connecting = yield* Effect.forkChild(connect().pipe(Effect.provide(Logger.layer([log]))))
        yield* Deferred.await(waiting)
        yield* server.start
        const sql = yield* Fiber.join(connecting)
        assert.deepStrictEqual(yield* sql`SELECT 1 AS one`, [{ one: 1 }])
        assert.lengthOf(logged, 1)
        assert.match(
          logged[0]!,
          /^Waiting for the database "postgres" on 127\.0\.0\.1:\d+, at most 30s: connect ECONNREFUSED/
        )
      }))

    it.effect("the start fails when the server has no free connection, and says what to change", () =>
      Effect.gen(function*() {
        const sql = yield* connect()
        yield* sql`create role limited login password 'limited' connection limit 0`
        const change = (url: URL) => Object.assign(url, { username: "limited", password: "limited" })
        const error = yield* refusal({ startTimeout: "250 millis", change }).pipe(Effect.provide(Logger.layer([])))
        assert.match(
          error.message,
          /too many connections .*\(53300\)\. Raise max_connections .* or lower DATABASE_CONNECTIONS or WORKERS/
        )
      }))

    it.effect("the start fails when the server stays down, and says why", () =>
      Effect.gen(function*() {
        const server = yield* EmbeddedPostgres
        yield* server.stop
        const error = yield* refusal({ startTimeout: "250 millis" }).pipe(Effect.provide(Logger.layer([])))
        yield* server.start
        assert.match(error.message, /cannot be used: connect ECONNREFUSED 127\.0\.0\.1:\d+, for 250ms$/)
      }))
  })

  describe("when something goes wrong", () => {
    it.effect("every connection that a restart of the server broke is replaced", () =>
      Effect.gen(function*() {
        const server = yield* EmbeddedPostgres
        const sql = yield* connect({ maxConnections: 5 })
        yield* useConnections(sql, 5)
        yield* server.stop
        assert.strictEqual(reasonOf(yield* Effect.exit(sql`SELECT 1`))._tag, "ConnectionError")
        yield* server.start
        yield* useConnections(sql, 5)
      }))

    it.effect("a statement whose connection broke while it executed fails with that reason", () =>
      Effect.gen(function*() {
        const server = yield* EmbeddedPostgres
        const sql = yield* connect()
        const running = yield* Effect.forkChild(Effect.exit(sql`SELECT pg_sleep(60)`))
        yield* Effect.repeat(isAsleep(sql), { until: (asleep) => asleep })
        yield* server.stop
        assert.strictEqual(reasonOf(yield* Fiber.join(running))._tag, "ConnectionError")
        yield* server.start
        assert.deepStrictEqual(yield* sql`SELECT 1 AS one`, [{ one: 1 }])
      }))

    it.effect("an idle connection that the server ended causes no error", () =>
      Effect.gen(function*() {
        const [sql, other] = [yield* connect({ maxConnections: 1 }), yield* connect()]
        const [row] = yield* sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`
        yield* other`SELECT pg_terminate_backend(${row?.pid ?? 0}, 5000)`
        assert.deepStrictEqual(yield* sql`SELECT 1 AS one`, [{ one: 1 }])
      }))

    it.effect("a statement that took too long differs from a lost connection", () =>
      Effect.gen(function*() {
        const sql = yield* connect({ statementTimeout: "50 millis" })
        assert.strictEqual(reasonOf(yield* Effect.exit(sql`SELECT pg_sleep(60)`))._tag, "StatementTimeoutError")
      }))

    it.effect("the statement of an interrupted fiber is cancelled", () =>
      Effect.gen(function*() {
        const [sql, other] = [yield* connect({ maxConnections: 1 }), yield* connect()]
        const running = yield* Effect.forkChild(sql`SELECT pg_sleep(60)`)
        yield* Effect.repeat(isAsleep(other), { until: (asleep) => asleep })
        yield* Fiber.interrupt(running)
        assert.isFalse(yield* isAsleep(other))
        assert.deepStrictEqual(yield* sql`SELECT 1 AS one`, [{ one: 1 }])
      }))
  })

  describe.each([false, true])("with connections that are shared by statements: %s", (multiplex) => {
    it.effect("a transaction is isolated, with more fibers than connections", () =>
      Effect.gen(function*() {
        const sql = yield* connect({ maxConnections: 3, multiplex })
        const name = sql(`counters_${multiplex}`)
        yield* sql`CREATE TABLE ${name} (id int PRIMARY KEY, n int NOT NULL)`
        yield* sql`INSERT INTO ${name} VALUES (1, 0)`
        const increment = (fail: boolean) =>
          sql.withTransaction(Effect.gen(function*() {
            const [row] = yield* sql<{ n: number }>`SELECT n FROM ${name} WHERE id = 1 FOR UPDATE`
            yield* sql`UPDATE ${name} SET n = ${(row?.n ?? 0) + 1} WHERE id = 1`
            if (fail) return yield* Effect.fail("rolled back")
          }))
        const work = (n: number) => Effect.exit(n % 3 === 0 ? sql`SELECT n FROM ${name}` : increment(n % 3 === 1))
        yield* Effect.forEach(range(60), work, { concurrency: 20, discard: true })
        assert.deepStrictEqual(yield* sql`SELECT n FROM ${name}`, [{ n: 20 }])
      }))
  })
})
