// The lists of migrations are history: what has been shipped keeps its set, its version and its name, and new ones come
// after it.
import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Session from "@svc-runtime/domain/Session"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { session } from "@svc-runtime/test-support/suites/Samples"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Logger, Option, References } from "effect"
import { SqlClient, Statement } from "effect/sql"
import * as Migrations from "../src/Migrations.ts"
import { LongStatements } from "../src/sql/LongStatements.ts"
import { type MigrationSet, migrationSet } from "../src/sql/MigrationSet.ts"
import * as SqlSessionStore from "../src/SqlSessionStore.ts"
import { history, tables } from "./migrationHistory.ts"

Tier.oneIn(6)

const all = Object.entries(history)
  .flatMap(([set, names]) => names.map((name, index) => `${set}_${index + 1}_${name}`))
  .map((name, index) => ({ version: index + 1, name }))

const tableNames = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`select tablename from pg_tables where schemaname = 'public' order by tablename`
  return rows.map((row) => row["tablename"])
})

/** Its migrations write that they were executed. */
const set = (name: string, ...migrations: ReadonlyArray<string>) =>
  migrationSet(
    name,
    migrations.map((each) => [
      each,
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql`create table if not exists did (did text primary key)`
        yield* sql`insert into did values (${`${name} ${each}`})`
      })
    ])
  )

describe("Migrations", () => {
  it.effect("sets keep their order, and migrations their names", () =>
    Effect.gen(function*() {
      const sets = SqlStores.sets
      const all = sets.map(({ migrations, name }) => [name, migrations.map(([each]) => each)])
      assert.deepStrictEqual(
        all,
        Object.entries(history),
        "history in test/stores.ts of the feature, or in migrationHistory.ts"
      )
    }))

  it.effect("each migration runs once, in order, and is recorded with a number", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* SqlStores.migrate, all)
      assert.deepStrictEqual(yield* SqlStores.migrate, [])
      const taken = yield* sql`select set, version, name, number from ${sql(Migrations.table)} order by number`
      assert.deepStrictEqual(
        taken.map((row) => ({ version: row["number"], name: `${row["set"]}_${row["version"]}_${row["name"]}` })),
        all
      )
    }).pipe(Effect.provide(PgliteLayer.layerEmpty)))

  it.effect("each set makes its tables without the sets of other features", () =>
    Effect.gen(function*() {
      const [engine, ...features] = SqlStores.sets
      if (engine === undefined) return assert.fail("there is no engine")
      const sql = yield* SqlClient.SqlClient
      const tablesOf = (...sets: ReadonlyArray<MigrationSet>) =>
        Effect.provideService(Effect.andThen(Migrations.run, tableNames), Migrations.MigrationSets, sets)
      const made = [...yield* tablesOf(engine)]
      for (const feature of features) {
        // rolled back: the next set finds only the tables of the engine
        const rows = yield* sql.withTransaction(
          Effect.flatMap(tablesOf(engine, feature), (rows) => Effect.fail({ rows }))
        ).pipe(Effect.catchIf((failure) => "rows" in failure, ({ rows }) => Effect.succeed(rows)))
        made.push(...rows)
      }
      assert.deepStrictEqual(
        [...new Set(made)].toSorted(),
        tables,
        "tables in test/stores.ts of the feature, or in migrationHistory.ts"
      )
    }).pipe(Effect.provide(PgliteLayer.layerEmpty)))

  it.effect("a set that a service gets later starts at its first version, and each set continues where it is", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const [one, two] = [set("one", "a"), set("two", "a", "b")]
      const run = (...sets: ReadonlyArray<MigrationSet>) =>
        Effect.provideService(Migrations.run, Migrations.MigrationSets, sets)
      assert.deepStrictEqual(yield* run(one), [{ version: 1, name: "one_1_a" }])
      const later = [set("one", "a", "b"), two] as const
      const { state } = yield* Effect.provideService(Migrations.schema, Migrations.MigrationSets, later)
      const pending = [
        { version: 2, name: "one_2_b" },
        { version: 3, name: "two_1_a" },
        { version: 4, name: "two_2_b" }
      ]
      assert.deepStrictEqual((yield* state).pending, pending)
      assert.deepStrictEqual(yield* run(...later), pending)
      assert.deepStrictEqual(yield* run(...later), [])
      assert.deepStrictEqual(yield* run(two), [], "a set that a service has no more stays")
      assert.deepStrictEqual(yield* sql`select did from did order by did`, [
        { did: "one a" },
        { did: "one b" },
        { did: "two a" },
        { did: "two b" }
      ])
      const error = yield* Effect.flip(run(one, two))
      assert.deepInclude(error, { _tag: "SchemaTooNew", set: "one", found: 2, known: 1 })
    }).pipe(Effect.provide(PgliteLayer.layerEmpty)))

  it.effect("the statements of migrations may take longer than others", () =>
    Effect.gen(function*() {
      let isAllowed = false
      const allowed: LongStatements["Service"]["allowed"] = (statements) =>
        Effect.acquireUseRelease(
          Effect.sync(() => (isAllowed = true)),
          () => statements,
          () => Effect.sync(() => (isAllowed = false))
        )
      const created: Array<boolean> = []
      const noting: Statement.Transformer = (statement) => {
        if (statement.compile()[0].includes("create table svc_jobs")) created.push(isAllowed)
        return Effect.succeed(statement)
      }
      const [engine] = SqlStores.sets
      yield* Migrations.run.pipe(
        Effect.provideService(Migrations.MigrationSets, engine === undefined ? [] : [engine]),
        Effect.provideService(LongStatements, { allowed }),
        Effect.provideService(Statement.CurrentTransformer, noting)
      )
      assert.deepStrictEqual([created, isAllowed], [[true], false])
    }).pipe(Effect.provide(PgliteLayer.layerEmpty)))

  it.effect("lines about migrations belong to the part `database`, as the level of single parts needs it", () => {
    const lines: Array<readonly [message: unknown, part: unknown]> = []
    const logger = Logger.map(
      Logger.formatStructured,
      ({ annotations, message }) => void lines.push([message, annotations["part"]])
    )
    return Effect.provideService(Migrations.run, Migrations.MigrationSets, [set("one", "a")]).pipe(
      Effect.tap(() =>
        Effect.sync(() => {
          assert.deepInclude(lines, ["Running migration", "database"])
          assert.deepInclude(lines, ["Migrations complete", "database"])
        })
      ),
      Effect.provide(PgliteLayer.layerEmpty),
      Effect.provide(Logger.layer([logger])),
      Effect.provideService(References.MinimumLogLevel, "Debug")
    )
  })

  it.effect("the migrations make exactly the named tables", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* tableNames, tables)
    }).pipe(Effect.provide(PgliteLayer.layer)))

  it.effect("migrations that run again leave the stored data alone", () =>
    Effect.gen(function*() {
      const stored = session()
      const store = yield* SessionStore.pipe(Effect.provide(SqlSessionStore.layer))
      yield* store.create(stored)
      yield* SqlStores.migrate
      const found = yield* store.find(Session.Id.make(stored.session_id), Owner.anyone)
      assert.deepStrictEqual(Option.getOrUndefined(found), stored)
    }).pipe(Effect.provide(PgliteLayer.layer)))

  it.effect("a database that a newer version of the service has changed is refused", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into svc_migrations (set, version, name, number) values ('memory', 2, 'of_the_future', 999)`
      const error = yield* Effect.flip(SqlStores.migrate)
      assert.strictEqual(error._tag, "SchemaTooNew")
      assert.include(error.message, "it is at migration 2 of 'memory', and this version knows migrations up to 1")
    }).pipe(Effect.provide(PgliteLayer.layer)))

  it.effect("a database of a version without sets is refused, and is not changed", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table svc_migrations (migration_id integer primary key, name text not null)`
      yield* sql`insert into svc_migrations values (81, 'of_the_past')`
      const error = yield* Effect.flip(SqlStores.migrate)
      assert.strictEqual(error._tag, "SchemaTooOld")
      assert.deepStrictEqual(yield* sql`select count(*)::int as tables from pg_tables where tablename like 'svc_%'`, [
        { tables: 1 }
      ])
    }).pipe(Effect.provide(PgliteLayer.layerEmpty)))

  it.effect("a migration that fails leaves nothing behind", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const error = yield* Migrations.run.pipe(
        Effect.provideService(Migrations.MigrationSets, [
          migrationSet("some", [["good", sql`create table good (id int)`], ["bad", sql`create table bad (nonsense`]])
        ]),
        Effect.flip
      )
      assert.strictEqual(error._tag, "MigrationError")
      assert.strictEqual(error.message, "Migration \"some_2_bad\" failed")
      assert.deepStrictEqual(
        yield* sql`select tablename from pg_tables where tablename in ('good', 'bad', 'svc_migrations')`,
        []
      )
    }).pipe(Effect.provide(PgliteLayer.layerEmpty)))
})
