// The files of an embedded database: clean ends, kills, crashes of the module, and files that cannot be read.
import { assert, describe, it } from "@effect/vitest"
import * as TemporaryDirectory from "@svc-runtime/test-support/TemporaryDirectory"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Fiber, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setImmediate as turn } from "node:timers/promises"
import * as Pglite from "../src/Pglite.ts"
import * as PgliteMaintenance from "../src/pglite/PgliteMaintenance.ts"
import * as PgliteTemplate from "../src/pglite/PgliteTemplate.ts"
import * as Child from "./fixtures/child.ts"
import { nested, range, reasonOf } from "./PgliteExits.ts"

Tier.oneIn(8)

describe("The files of an embedded database", () => {
  const open = (dataDir: string) => Pglite.layer({ dataDir, durable: false })
  const temporary = Layer.unwrap(Effect.map(TemporaryDirectory.make, open))
  const rows = Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return yield* sql`SELECT * FROM kept ORDER BY id`
  })
  const keep = Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE TABLE kept (id int)`
    yield* sql`INSERT INTO kept VALUES (1)`
  })

  it.live("the files exist after a clean end, which leaves no lock and no pid file behind", () =>
    Effect.gen(function*() {
      const dataDir = join(yield* TemporaryDirectory.make, "data")
      yield* Effect.provide(keep, open(dataDir))
      assert.isFalse(existsSync(join(dataDir, "postgres", "postmaster.pid")))
      assert.isFalse(existsSync(join(dataDir, "svc.pid")))
      assert.deepStrictEqual(yield* Effect.provide(rows, open(dataDir)), [{ id: 1 }])
      assert.strictEqual(statSync(join(dataDir, "postgres")).mode & 0o777, 0o700)
    }))

  it.live("a database opens without the memory that optimizing the parser takes", () =>
    Effect.gen(function*() {
      const child = yield* Child.start("memory.ts")
      assert.isBelow(Number(yield* child.line), 450)
    }))

  it.live("statements are executed as before when the start is over", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* keep
      for (let id = 2; id <= 700; id++) yield* sql`INSERT INTO kept VALUES (${id})`
      assert.deepStrictEqual(yield* sql`SELECT count(*)::int AS count FROM kept`, [{ count: 700 }])
    }).pipe(Effect.provide(temporary)))

  it.live("the process does other work while a statement is executed", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      let turns = 0
      const countTurns = Effect.forever(Effect.tap(Effect.promise(() => turn()), () => Effect.sync(() => turns++)))
      const counted = yield* Effect.raceFirst(
        sql`SELECT count(*)::int AS count FROM generate_series(1, 300000)`,
        countTurns
      )
      assert.deepStrictEqual(counted, [{ count: 300_000 }])
      assert.isAtLeast(turns, 20)
    }).pipe(Effect.provide(temporary)))

  it.live("the files have every row that was acknowledged before the process was killed", () =>
    Effect.gen(function*() {
      const dataDir = yield* TemporaryDirectory.make
      let acknowledged = 0
      for (const more of [30, 10]) {
        const child = yield* Child.start("committer.ts", dataDir)
        const last = acknowledged + more
        while (acknowledged < last) acknowledged = Number(yield* child.line)
        yield* child.kill
        assert.isTrue(existsSync(join(dataDir, "postgres", "postmaster.pid")))
      }
      const found = yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        return yield* sql<{ id: number; length: number }>`SELECT id, length(body) AS length FROM commits ORDER BY id`
      }).pipe(Effect.provide(Pglite.layer({ dataDir })))
      assert.isAtLeast(found.length, acknowledged)
      assert.deepStrictEqual(found, range(found.length).map((id) => ({ id, length: 5 * (id % 500) })))
    }))

  it.live("the files are made anew when the first start was interrupted", () =>
    Effect.gen(function*() {
      const dataDir = yield* TemporaryDirectory.make
      const directory = join(dataDir, "postgres")
      yield* PgliteTemplate.install(directory)
      rmSync(join(directory, "global"), { recursive: true })
      yield* Effect.provide(keep, open(dataDir))
      assert.deepStrictEqual(yield* Effect.provide(rows, open(dataDir)), [{ id: 1 }])
    }))

  it.live("files of another PostgreSQL, or of no PostgreSQL, are refused", () =>
    Effect.gen(function*() {
      const dataDir = yield* TemporaryDirectory.make
      const directory = join(dataDir, "postgres")
      mkdirSync(directory)
      const refusal = Effect.flip(Effect.scoped(Layer.build(open(dataDir))))
      assert.include((yield* refusal).message, `${directory} is there but holds no database`)
      writeFileSync(join(directory, "PG_VERSION"), "16\n")
      const error = yield* refusal
      assert.strictEqual(error._tag, "DataDirectoryUnusable")
      assert.include(error.message, "made by PostgreSQL 16, and this version reads those of PostgreSQL 18")
    }))

  it.live("unreadable files are refused with the error of PostgreSQL", () =>
    Effect.gen(function*() {
      const dataDir = yield* TemporaryDirectory.make
      yield* Effect.provide(keep, open(dataDir))
      rmSync(join(dataDir, "postgres", "global", "pg_control"))
      const error = yield* Effect.flip(Effect.scoped(Layer.build(open(dataDir))))
      assert.strictEqual(error._tag, "EmbeddedDatabaseFailed")
      assert.include(error.message, "pg_control")
    }))

  it.live("the files are opened again when the module crashes, and lose nothing that was committed", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* keep
      const crash = sql.withTransaction(Effect.andThen(sql`DELETE FROM kept`, sql`SELECT ${nested(100_000)}::jsonb`))
      const crashing = yield* Effect.forkChild(Effect.exit(crash))
      const waiting = yield* Effect.forEach(range(5), () => Effect.forkChild(rows))
      assert.strictEqual(reasonOf(yield* Fiber.join(crashing))._tag, "ConnectionError")
      assert.deepStrictEqual(yield* Fiber.joinAll(waiting), range(5).map(() => [{ id: 1 }]))
    }).pipe(Effect.provide(temporary), Effect.provide(Logger.layer([]))))

  it.live("a crash ends a database in memory, and every statement says so", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Effect.exit(sql`SELECT ${nested(100_000)}::jsonb`)
      const { _tag, cause } = reasonOf(yield* Effect.exit(sql`SELECT 1`))
      assert.strictEqual(_tag, "ConnectionError")
      assert.include(cause.message, "what was in its memory is lost")
    }).pipe(Effect.provide(Pglite.layerMemory)))

  it.live("the files are cleaned: dead rows are removed, and a checkpoint truncates the log", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE busy (id int PRIMARY KEY, body text)`
      yield* sql`INSERT INTO busy SELECT n, repeat('x', 1000) FROM generate_series(1, 2000) AS n`
      yield* Effect.forEach(range(20), () => sql`UPDATE busy SET body = body || 'y'`)
      const size = sql<{ bytes: number }>`SELECT pg_relation_size('busy')::int AS bytes`
      const [grown] = yield* size
      assert.isTrue((yield* PgliteMaintenance.round(sql, { all: true })).checkpoint)
      assert.isFalse((yield* PgliteMaintenance.round(sql, { all: true })).checkpoint)
      yield* Effect.forEach(range(20), () => sql`UPDATE busy SET body = body || 'z'`)
      const [reused] = yield* size
      assert.isAtMost(reused!.bytes, grown!.bytes)
    }).pipe(Effect.provide(Pglite.layerMemory)))

  it.live("later rounds clean the tables that have changed", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE busy (id int PRIMARY KEY)`
      yield* sql`INSERT INTO busy SELECT n FROM generate_series(1, 200) AS n`
      yield* sql`SELECT pg_stat_force_next_flush()`
      const rounds = [
        yield* PgliteMaintenance.round(sql, { all: false }),
        yield* PgliteMaintenance.round(sql, { all: false })
      ]
      assert.deepStrictEqual(rounds.map(({ vacuumed }) => vacuumed), [1, 0])
    }).pipe(Effect.provide(Pglite.layerMemory)))
})
