import { assert, describe, it } from "@effect/vitest"
import * as Postgres from "@svc-runtime/postgres/Postgres"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { type Options, sqlQuery } from "../../src/toolkit/sqlQuery.ts"
import * as ToolDatabases from "../../src/toolkit/ToolDatabases.ts"
import { call } from "./Calls.ts"

Tier.oneIn(6)

/** A database with three rows, and what queries it. */
const prepared = Effect.fnUntraced(function*(options: Partial<Options> = {}) {
  const url = yield* PostgresLayer.emptyUrl
  const context = yield* Layer.build(Postgres.layer({ url }))
  const sql = yield* Effect.provide(SqlClient.SqlClient, context)
  yield* sql`CREATE TABLE teas (id int, name text)`
  yield* sql`INSERT INTO teas VALUES (1, 'Assam'), (2, 'Ceylon'), (3, 'Darjeeling')`
  const tool = sqlQuery({ url, ...options })
  return { query: (query: string) => call(tool, { query }), count: sql`SELECT count(*)::int AS n FROM teas`, url }
})

const databases = Effect.provide(ToolDatabases.layer)

describe("the tool of SQL queries", () => {
  it.live("the model reads the rows", () =>
    Effect.gen(function*() {
      const { query } = yield* prepared()
      assert.strictEqual(
        yield* query("SELECT id, name FROM teas WHERE id < 3 ORDER BY id;"),
        `{"rows":[{"id":1,"name":"Assam"},{"id":2,"name":"Ceylon"}]}`
      )
    }).pipe(databases, Effect.scoped))

  it.live("a statement that changes something is refused, however it is written", () =>
    Effect.gen(function*() {
      const { count, query } = yield* prepared()
      const statements = [
        "DELETE FROM teas",
        "SELECT 1; DELETE FROM teas",
        "SELECT 1; COMMIT; DELETE FROM teas",
        "WITH gone AS (DELETE FROM teas RETURNING id) SELECT * FROM gone",
        "SELECT set_config('transaction_read_only', 'off', false)",
        "SELECT * INTO copy FROM teas",
        "SELECT * FROM teas FOR UPDATE",
        "DROP TABLE teas",
        "COPY teas TO PROGRAM 'true'",
        "SET default_transaction_read_only = off",
        "SELECT lo_create(0)"
      ]
      for (const statement of statements) assert.match(yield* query(statement), /^Error: /, statement)
      assert.deepStrictEqual(yield* count, [{ n: 3 }])
      // and the next query of the connection only reads too
      assert.match(yield* query("SELECT lo_create(0)"), /read-only transaction/)
    }).pipe(databases, Effect.scoped))

  it.live("rows and bytes beyond the limits are left out, and the model is shown that", () =>
    Effect.gen(function*() {
      const few = yield* prepared({ maxRows: 2 })
      const cut = `,"note":"There are more rows. Select fewer"}`
      assert.strictEqual(
        yield* few.query("SELECT id FROM teas ORDER BY id"),
        `{"rows":[{"id":1},{"id":2}]${cut}`
      )
      const small = yield* prepared({ maxBytes: 100, maxRows: 1000 })
      const result = yield* small.query("SELECT n FROM generate_series(1, 1000000) n")
      assert.isBelow(result.length, 250)
      assert.include(result, cut)
    }).pipe(databases, Effect.scoped))

  it.live("a statement that takes too long is cancelled by the server", () =>
    Effect.gen(function*() {
      const { query } = yield* prepared({ queryTimeout: "100 millis" })
      assert.match(yield* query("SELECT pg_sleep(60)"), /^Error: canceling statement due to statement timeout/)
    }).pipe(databases, Effect.scoped))

  it.live("a statement that lifts the time limit is cancelled too", () =>
    Effect.gen(function*() {
      const { query } = yield* prepared({ queryTimeout: "100 millis" })
      const lifted = "SELECT set_config('statement_timeout', '0', true) FROM generate_series(1, 25)"
      assert.strictEqual(
        yield* query(`${lifted} UNION ALL SELECT pg_sleep(60)::text`),
        "Error: The query takes longer than 100ms"
      )
    }).pipe(databases, Effect.scoped))

  it.live("what a query does to its connection is undone before the next one", () =>
    Effect.gen(function*() {
      const { query } = yield* prepared({ maxConnections: 1 })
      yield* query("SELECT set_config('search_path', 'nowhere', false), pg_advisory_lock(7)::text")
      yield* query("SELECT pg_notify('svc', 'hi')::text")
      assert.strictEqual(yield* query("SELECT id FROM teas WHERE id = 1"), `{"rows":[{"id":1}]}`)
      assert.strictEqual(
        yield* query("SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory'"),
        `{"rows":[{"n":0}]}`
      )
    }).pipe(databases, Effect.scoped))

  it.live("numbers of 64 bits are numbers, or texts where JSON would round them, and bytes are texts", () =>
    Effect.gen(function*() {
      const { query } = yield* prepared()
      assert.strictEqual(
        yield* query(
          "SELECT count(*) AS n, 9007199254740993 AS big, array[1::bigint] AS list, '\\x00ff'::bytea AS bytes FROM teas"
        ),
        `{"rows":[{"n":3,"big":"9007199254740993","list":[1],"bytes":"\\\\x00ff"}]}`
      )
    }).pipe(databases, Effect.scoped))

  it.live("rows inside of rows are texts, and what has no text here is to be cast", () =>
    Effect.gen(function*() {
      const { query } = yield* prepared()
      assert.strictEqual(
        yield* query(`SELECT row(1, 'a b', null, row(true, 2.50)) AS r, array[row(1), row('x')] AS list`),
        `{"rows":[{"r":"(1,\\"a b\\",,\\"(t,2.50)\\")","list":["(1)","(x)"]}]}`
      )
      const cast = /a type that is not shown: cast it to text/
      for (const value of ["teas", "int4range(1, 5)", "point(1.1, 2.2)", "array[teas]"]) {
        assert.match(yield* query(`SELECT ${value} AS v FROM teas WHERE id = 1`), cast, value)
      }
      assert.include(yield* query("SELECT teas::text AS v FROM teas WHERE id = 1"), "(1,Assam)")
      assert.include(yield* query("SELECT int4range(1, 5)::text AS v"), "[1,5)")
    }).pipe(databases, Effect.scoped))

  it.live("an error of the server is shown, and one of the connection tells nothing of the place", () =>
    Effect.gen(function*() {
      const { query, url } = yield* prepared()
      assert.match(yield* query("SELECT * FROM coffees"), /^Error: relation "coffees" does not exist/)
      const wrong = new URL(Redacted.value(url))
      wrong.username = "reader"
      wrong.password = "hidden-secret"
      wrong.port = "1"
      assert.strictEqual(
        yield* call(sqlQuery({ url: wrong.href }), { query: "SELECT 1" }),
        "Error: The database did not reply"
      )
    }).pipe(databases, Effect.scoped))

  it("an address that is not one of PostgreSQL is refused when the tool is made", () => {
    assert.throws(() => sqlQuery({ url: "mysql://root:secret@host/db" }), /url must be of the form postgres/)
  })
})
