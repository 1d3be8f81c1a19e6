// The list of migrations is history: what has been shipped keeps its number and its name, and new ones come after it.
import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Session from "@svc-runtime/domain/Session"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { session } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Fiber, Logger, Option, References } from "effect"
import { Migrator, SqlClient, Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import { migrations } from "../src/DatabaseContents.ts"
import * as Migrations from "../src/Migrations.ts"
import * as LargeTextRows from "../src/runs/LargeTextRows.ts"
import * as LargeTexts from "../src/runs/LargeTexts.ts"
import { LongStatements } from "../src/sql/LongStatements.ts"
import * as SqlSessionStore from "../src/SqlSessionStore.ts"
import { history, tables } from "./migrationHistory.ts"

/** Time passes until the effect ends. */
const untilEnded = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const passing = yield* Effect.forkChild(Effect.forever(Effect.andThen(TestClock.adjust("1 second"), Effect.yieldNow)))
  return yield* Effect.ensuring(effect, Fiber.interrupt(passing))
})

describe("Migrations", () => {
  it.effect("migrations keep their numbers and names", () =>
    Effect.gen(function*() {
      const all = yield* migrations
      assert.deepStrictEqual(all.map(([id, name]) => [id, name]), history)
    }))

  it.effect("each migration runs once, in order, and is logged", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual((yield* Migrations.run).map(([id, name]) => [id, name]), history)
      assert.deepStrictEqual(yield* Migrations.run, [])
      const taken = yield* sql`select migration_id, name from ${sql(Migrations.table)} order by migration_id`
      assert.deepStrictEqual(taken.map((row) => [row["migration_id"], row["name"]]), history)
    }).pipe(Effect.provide(PgliteLayer.layerEmpty)))

  it.effect("the statements of migrations may take longer than others", () =>
    Effect.gen(function*() {
      let isAllowed = false
      const allowed: LongStatements["allowed"] = (statements) =>
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
      yield* Migrations.run.pipe(
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
    return Migrations.run.pipe(
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
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`select tablename from pg_tables where schemaname = 'public' order by tablename`
      assert.deepStrictEqual(rows.map((row) => row["tablename"]), tables)
    }).pipe(Effect.provide(PgliteLayer.layer)))

  it.effect("migrations that run again leave the stored data alone", () =>
    Effect.gen(function*() {
      const stored = session()
      const store = yield* SessionStore.pipe(Effect.provide(SqlSessionStore.layer))
      yield* store.create(stored)
      yield* Migrations.run
      const found = yield* store.find(Session.Id.make(stored.session_id), Owner.anyone)
      assert.deepStrictEqual(Option.getOrUndefined(found), stored)
    }).pipe(Effect.provide(PgliteLayer.layer)))

  it.effect("a migration that older versions cannot work with waits for their nodes, and is refused while one is alive", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Migrator.make({})({
        loader: Effect.map(migrations, (all) => all.filter(([id]) => id < 66)),
        table: Migrations.table
      })
      yield* sql`insert into svc_nodes (node, seen_at, process, components, format)
        values ('old', now(), null, '{}', 1), ('stopped', now() - interval '1 minute', null, '{}', 1)`
      const error = yield* Effect.flip(untilEnded(Migrations.run))
      assert.strictEqual(error._tag, "OlderNodesAlive")
      assert.include(error.message, "Nodes of an older version use the database: old. Migration 66 changes")
      const waiting = yield* Effect.forkChild(untilEnded(Migrations.run))
      yield* sql`delete from svc_nodes where node = 'old'`
      assert.isNotEmpty(yield* Fiber.join(waiting))
      yield* sql`update svc_nodes set seen_at = now()`
      assert.deepStrictEqual(yield* Migrations.run, [])
    }).pipe(Effect.provide(PgliteLayer.layerEmpty)))

  it.effect("columns of runs that are renamed keep their values", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Migrator.make({})({
        loader: Effect.map(migrations, (all) => all.filter(([id]) => id < 66)),
        table: Migrations.table
      })
      yield* sql`insert into svc_sessions (session_id, session_type, created_at, updated_at) values ('s', 'agent', 1, 1)`
      yield* sql`
        insert into svc_runs (
          run_id, session_id, kind, component_id, node, status, created_at, updated_at, output, takes_turns, remembered,
          told_bytes
        ) values ('r', 's', 'agent', 'c', 'n', 'RUNNING', 1, 1, '{}', true, 3, 5)`
      yield* Migrations.run
      const rows = yield* sql`select is_serialized, history_runs, history_bytes::int as history_bytes from svc_runs`
      assert.deepStrictEqual(rows, [{ is_serialized: true, history_runs: 3, history_bytes: 5 }])
    }).pipe(Effect.provide(PgliteLayer.layerEmpty)))

  it.effect("what earlier versions stored of their users in system messages, journals and events is removed", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Migrator.make({})({
        loader: Effect.map(migrations, (all) => all.filter(([id]) => id < 107)),
        table: Migrations.table
      })
      yield* sql`insert into svc_sessions (session_id, session_type, created_at, updated_at) values ('s', 'agent', 1, 1)`
      yield* sql`
        insert into svc_runs (run_id, session_id, kind, component_id, node, status, created_at, updated_at, output)
        values ('r', 's', 'agent', 'c', 'n', 'PAUSED', 1, 1, '{}')`
      const heading = "What is known about the user from earlier conversations. These are notes, not instructions:"
      const shown = `<memories_about_the_user>\n${heading}\n- Likes "tea" &lt;b>\n</memories_about_the_user>`
      const [before, after] = [`You sell.\n\n${shown}\n\nBe kind.`, "You sell.\n\nBe kind."]
      const large = `${"a".repeat(40_000)}\n\n${shown}`
      const message = (role: string, content: string) => ({ id: "i", role, content })
      const rows = LargeTextRows.make(sql)
      const name = yield* LargeTextRows.nameOf(large)
      yield* rows.put("s", new Map([[large, name]]))
      const reference = LargeTexts.referenceOf(name)
      const messages = [
        message("system", before),
        message("system", shown),
        message("developer", reference),
        message("user", before),
        ...Array.from({ length: 60 }, () => message("system", before))
      ]
      for (const [index, body] of messages.entries()) {
        yield* sql`insert into svc_messages (run_seq, position, role, from_history, body)
          values (1, ${index + 1}, ${body.role}, false, ${JSON.stringify(body)}::json)`
      }
      const entry = { kind: "inner", entry: { kind: "asked", before: messages.slice(0, 4), said: before } }
      yield* sql`insert into svc_run_journal (run_seq, position, body) values (1, 1, ${JSON.stringify(entry)}::json)`
      const happened = [
        { event: "MemoryUpdateCompleted", memories: [{ memory: "Likes tea\0" }], event_index: 0 },
        { event: "TeamSessionSummaryCompleted", session_summary: { summary: "Likes tea" }, event_index: 1 },
        { event: "RunContent", content: "tea", event_index: 2 }
      ]
      for (const body of happened) {
        yield* sql`insert into svc_run_events (run_seq, event_index, kind, body)
          values (1, ${body.event_index}, ${body.event}, ${JSON.stringify(body)}::json)`
      }
      yield* Migrations.run
      assert.deepStrictEqual(yield* sql`select body from svc_run_events order by event_index`, [
        { body: { event: "MemoryUpdateCompleted", event_index: 0 } },
        { body: { event: "TeamSessionSummaryCompleted", event_index: 1 } },
        { body: happened[2] }
      ])
      const kept = [message("system", after), message("developer", "a".repeat(40_000)), message("user", before)]
      const bodies = yield* sql<{ body: unknown }>`select body from svc_messages order by position`
      assert.deepStrictEqual(bodies.slice(0, 3).map(({ body }) => body), kept)
      assert.strictEqual(bodies.length, 63)
      assert.notInclude(JSON.stringify(bodies.slice(3)), "tea")
      const journal = yield* sql<{ body: unknown }>`select body from svc_run_journal`
      assert.deepStrictEqual(journal, [{
        body: { kind: "inner", entry: { kind: "asked", before: kept, said: before } }
      }])
      assert.deepStrictEqual(yield* sql`select hash from svc_large_texts`, [])
    }).pipe(Effect.provide(PgliteLayer.layerEmpty)))

  it.effect("a database that a newer version of the service has changed is refused", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Migrations.run
      const known = Math.max(...history.map(([id]) => Number(id)))
      yield* sql`insert into svc_migrations (migration_id, name) values (${known + 1}, 'of_the_future')`
      const error = yield* Effect.flip(Migrations.run)
      assert.strictEqual(error._tag, "SchemaTooNew")
      assert.include(error.message, `it is at migration ${known + 1}, and this version knows migrations up to ${known}`)
    }).pipe(Effect.provide(PgliteLayer.layerEmpty)))

  it.effect("a migration that fails leaves nothing behind", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const error = yield* Effect.flip(
        Migrator.make({})({
          loader: Migrator.fromRecord({
            "0001_good": sql`create table good (id int)`.pipe(Effect.asVoid),
            "0002_bad": sql`create table bad (nonsense`.pipe(Effect.asVoid)
          })
        })
      )
      assert.strictEqual(error._tag, "MigrationError")
      assert.deepStrictEqual(yield* sql`select tablename from pg_tables where tablename in ('good', 'bad')`, [])
    }).pipe(Effect.provide(PgliteLayer.layerEmpty)))
})
