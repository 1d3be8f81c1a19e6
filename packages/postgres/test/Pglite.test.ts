// The embedded database as the stores see it: the same tests hold for its stream as would for a socket.
import { assert, layer } from "@effect/vitest"
import * as TemporaryDirectory from "@svc-runtime/test-support/TemporaryDirectory"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { join } from "node:path"
import * as Pglite from "../src/Pglite.ts"
import { nested, range, reasonOf } from "./PgliteExits.ts"

Tier.oneIn(10)

/** Of the event loop: the statements have been executed, and no caller has seen the reply. */
const nextTurn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

layer(Pglite.layerMemory)("The connection to an embedded database", (it) => {
  const table = Effect.fnUntraced(function*(name: string) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE TABLE ${sql(name)} (id int PRIMARY KEY, body text)`
    return { sql, name: sql(name) }
  })

  it.effect("the connection is to PostgreSQL 18, in UTC", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql`
        SELECT current_setting('server_version_num')::int / 10000 AS version, current_setting('TimeZone') AS zone`
      assert.deepStrictEqual(row, { version: 18, zone: "UTC" })
    }))

  it.effect("each database in memory is empty, and leaves nothing to the next", () =>
    Effect.gen(function*() {
      const fill = Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE filled AS SELECT n, repeat('x', 1000) AS body FROM generate_series(1, 20000) AS n`
        yield* sql`CHECKPOINT`
        return yield* sql`SELECT count(*)::int AS count, count(DISTINCT n)::int AS distinct FROM filled`
      })
      for (const _ of range(2)) {
        const counted = yield* Effect.provide(fill, Layer.fresh(Pglite.layerMemory))
        assert.deepStrictEqual(counted, [{ count: 20_000, distinct: 20_000 }])
      }
    }))

  it.effect("each copy of a prepared database has its rows, and nothing of the other copies", () =>
    Effect.gen(function*() {
      const add = SqlClient.SqlClient.use((sql) => sql`INSERT INTO kept VALUES (1) RETURNING id`)
      const prepared = yield* Pglite.prepare(
        SqlClient.SqlClient.use((sql) => Effect.andThen(sql`CREATE TABLE kept (id int UNIQUE)`, sql`SELECT 1`))
      )
      const dataDir = join(yield* TemporaryDirectory.make, "data")
      yield* Pglite.install(prepared, dataDir)
      const copies = [Pglite.layerPrepared(prepared), Pglite.layerPrepared(prepared), Pglite.layer({ dataDir })]
      for (const copy of copies) assert.deepStrictEqual(yield* Effect.provide(add, Layer.fresh(copy)), [{ id: 1 }])
    }).pipe(Effect.scoped))

  it.effect("a statement is prepared once and bound anew each time", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* Effect.forEach(range(50), (n) => sql<{ twice: number }>`SELECT ${n}::int * 2 AS twice`)
      assert.deepStrictEqual(rows.map(([row]) => row?.twice), range(50).map((n) => n * 2))
      const [{ count } = { count: 0 }] = yield* sql<{ count: number }>`
        SELECT count(*)::int AS count FROM pg_prepared_statements WHERE statement LIKE 'SELECT $1::int * 2%'`
      assert.strictEqual(count, 1)
    }))

  it.effect("a megabyte of text is carried both ways", () =>
    Effect.gen(function*() {
      const { name, sql } = yield* table("large")
      const body = "ünïcode ".repeat(128 * 1024)
      yield* sql`INSERT INTO ${name} VALUES (1, ${body})`
      const [row] = yield* sql<{ body: string }>`SELECT body FROM ${name}`
      assert.isTrue(row?.body === body)
    }))

  it.effect("a transaction commits, and one that fails is rolled back", () =>
    Effect.gen(function*() {
      const { name, sql } = yield* table("transactions")
      yield* sql.withTransaction(sql`INSERT INTO ${name} VALUES (1)`)
      const failing = sql.withTransaction(Effect.andThen(sql`INSERT INTO ${name} VALUES (2)`, Effect.fail("no")))
      assert.strictEqual(yield* Effect.flip(failing), "no")
      assert.deepStrictEqual(yield* sql`SELECT id FROM ${name}`, [{ id: 1 }])
    }))

  it.effect("a rollback to a savepoint continues the transaction around it", () =>
    Effect.gen(function*() {
      const { name, sql } = yield* table("savepoints")
      yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`INSERT INTO ${name} VALUES (1)`
        const inner = yield* sql.withTransaction(sql`INSERT INTO ${name} VALUES (1)`).pipe(Effect.exit)
        assert.strictEqual(reasonOf(inner)._tag, "UniqueViolation")
        yield* sql`INSERT INTO ${name} VALUES (2)`
      }))
      assert.deepStrictEqual(yield* sql`SELECT id FROM ${name} ORDER BY id`, [{ id: 1 }, { id: 2 }])
    }))

  it.effect("the error of a duplicate names the constraint, and the connection stays usable", () =>
    Effect.gen(function*() {
      const { name, sql } = yield* table("duplicates")
      yield* sql`INSERT INTO ${name} VALUES (1)`
      const reason = reasonOf(yield* Effect.exit(sql`INSERT INTO ${name} VALUES (1)`))
      assert.strictEqual(reason._tag, "UniqueViolation")
      assert.propertyVal(reason, "constraint", "duplicates_pkey")
      assert.deepStrictEqual(yield* sql`SELECT id FROM ${name}`, [{ id: 1 }])
    }))

  it.effect("the connection works after a thousand errors as before the first", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const failing = Effect.exit(sql`SELECT 1 / 0`)
      for (let n = 0; n < 1000; n++) {
        const { cause } = reasonOf(yield* failing)
        if (cause.code !== "22012") assert.fail(`error ${n} is ${cause.message}`)
      }
      assert.deepStrictEqual(yield* sql`SELECT 1 AS one`, [{ one: 1 }])
    }))

  it.effect("each of 30 fibers gets its own reply", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const ask = (n: number) => sql<{ n: number }>`SELECT ${n}::int AS n, pg_sleep(0.001)`
      const rows = yield* Effect.forEach(range(30), ask, { concurrency: "unbounded" })
      assert.deepStrictEqual(rows.map(([row]) => row?.n), range(30))
    }))

  it.effect("30 fibers share out rows with FOR UPDATE SKIP LOCKED", () =>
    Effect.gen(function*() {
      const { name, sql } = yield* table("jobs")
      yield* sql`INSERT INTO ${name} SELECT generate_series(1, 30)`
      const takeOne = sql.withTransaction(Effect.gen(function*() {
        const [job] = yield* sql<{ id: number }>`SELECT id FROM ${name} ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED`
        yield* sql`DELETE FROM ${name} WHERE id = ${job?.id ?? 0}`
        return job?.id
      }))
      const taken = yield* Effect.forEach(range(30), () => takeOne, { concurrency: "unbounded" })
      assert.deepStrictEqual(taken.toSorted((a = 0, b = 0) => a - b), range(30))
    }))

  it.effect("rows are streamed, and the connection is free again when the stream is left early", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const numbers = sql<{ n: number }>`SELECT generate_series(1, 5000) AS n`.stream
      assert.strictEqual(yield* Stream.runFold(numbers, () => 0, (sum, { n }) => sum + n), 12_502_500)
      const some = yield* numbers.pipe(Stream.take(3), Stream.runCollect)
      assert.deepStrictEqual(some.map(({ n }) => n), [1, 2, 3])
      assert.deepStrictEqual(yield* sql`SELECT 1 AS one`, [{ one: 1 }])
    }))

  it.effect("the connection survives fibers that are interrupted while they query, wait or are in a transaction", () =>
    Effect.gen(function*() {
      const { name, sql } = yield* table("interrupted")
      const work = (n: number) =>
        n % 3 === 0
          ? sql.withTransaction(Effect.andThen(sql`INSERT INTO ${name} VALUES (${n})`, Effect.never))
          : sql`SELECT pg_sleep(0.002), ${n}::int AS n`
      for (const round of range(20)) {
        const fibers = yield* Effect.forEach(range(9), (n) => Effect.forkChild(work(n + round * 10)))
        // each round stops them a little later
        yield* Effect.forEach(range(round), () => Effect.yieldNow)
        if (round % 2 === 0) yield* nextTurn
        yield* Fiber.interruptAll(fibers)
        const [row] = yield* sql`SELECT ${round}::int AS round`
        assert.deepStrictEqual(row, { round })
      }
      assert.deepStrictEqual(yield* sql`SELECT * FROM ${name}`, [])
    }))

  it.effect("the next fiber gets the connection when a transaction is interrupted", () =>
    Effect.gen(function*() {
      const { name, sql } = yield* table("handed_on")
      const inside = yield* Deferred.make<void>()
      const holder = yield* Effect.forkChild(sql.withTransaction(Effect.gen(function*() {
        yield* sql`INSERT INTO ${name} VALUES (1)`
        yield* Deferred.succeed(inside, undefined)
        return yield* Effect.never
      })))
      yield* Deferred.await(inside)
      const next = yield* Effect.forkChild(sql`SELECT count(*)::int AS count FROM ${name}`)
      yield* Fiber.interrupt(holder)
      assert.deepStrictEqual(yield* Fiber.join(next), [{ count: 0 }])
    }))

  it.effect("a COPY that would wait for rows for ever is interrupted, and the connection recovers", () =>
    Effect.gen(function*() {
      const { name, sql } = yield* table("copied")
      const exit = yield* Effect.exit(sql`COPY ${name} FROM STDIN`)
      assert.strictEqual(reasonOf(exit)._tag, "ConnectionError")
      assert.deepStrictEqual(yield* sql`SELECT 1 AS one`, [{ one: 1 }])
    }))

  it.effect("a statement that is nested too deep is refused as an error of the statement", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { cause } = reasonOf(yield* Effect.exit(sql`SELECT ${nested(4000)}::jsonb`))
      assert.strictEqual(cause.code, "54001")
      assert.deepStrictEqual(yield* sql`SELECT 1 AS one`, [{ one: 1 }])
    }))
})
