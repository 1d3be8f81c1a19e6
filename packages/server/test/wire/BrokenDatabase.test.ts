// A service with a second database: its background jobs, and what happens to both when it replies and is broken, by a
// full disk, a missing table, or the schema of another version.
import { assert, describe, it } from "@effect/vitest"
import * as Schemas from "@svc-runtime/engine/database/Schemas"
import * as Notifications from "@svc-runtime/engine/node/Notifications"
import * as Agent from "@svc-runtime/features/Agent"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import { JobKind } from "@svc-runtime/server"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Context, Duration, Effect, Layer, Queue, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { always, ask, get, runWhole } from "../Wire.ts"
import { used } from "./Fixtures.ts"
import { tenant } from "./TwoDatabases.ts"

Tier.oneIn(8)

/** An agent in each database. The statements are executed in the second one before the start. */
const service = Effect.fnUntraced(function*(
  before: ReadonlyArray<string> = [],
  options: Pick<TestServer.Options, "jobs" | "retention"> = {}
) {
  const { model } = yield* always(Script.text("Hello."), used)
  const context = yield* Layer.build(PgliteLayer.layer)
  const database = Layer.succeedContext(context)
  yield* Layer.build(Layer.provide(SqlStores.layer, database))
  const sql = Context.get(context, SqlClient.SqlClient)
  const execute = (statements: ReadonlyArray<string>) => Effect.forEach(statements, (text) => sql.unsafe(text))
  yield* execute(before)
  const server = yield* TestServer.make({
    ...options,
    agents: [Agent.make({ id: "here", model }), Agent.make({ id: "there", model, db: tenant })],
    openDatabase: () =>
      Layer.merge(
        Layer.provide(SqlStores.layerServed(SqlStores.features), [database, Schemas.migrating]),
        Notifications.layerNone
      )
  })
  let runs = 0
  const run = (agent: string) => {
    const id = `${agent}-${runs++}`
    return runWhole(server, agent, { message: "Hi", session_id: id, run_id: id })
  }
  const untilServed = Effect.repeat(Effect.suspend(() => run("there")), {
    until: ({ status }) => status === 200,
    schedule: Schedule.spaced("100 millis")
  })
  return { server, sql, execute, run, untilServed }
})

const faults = {
  "a missing table": [
    ["alter table svc_runs rename to svc_runs_away"],
    ["alter table svc_runs_away rename to svc_runs"]
  ],
  "a full disk": [
    [
      `create function full_disk() returns trigger language plpgsql as $$
        begin raise exception 'could not extend file' using errcode = '53100'; end $$`,
      "create trigger full_disk before insert or update on svc_runs for each statement execute function full_disk()"
    ],
    ["drop function full_disk() cascade"]
  ]
} as const

const newer = [
  ["insert into svc_migrations (set, version, name, number) values ('engine', 9999, 'newer', 9999)"],
  ["delete from svc_migrations where number = 9999"]
] as const

describe("a second database", () => {
  it.live("Repeating jobs and retention are executed in each database of a service.", () =>
    Effect.gen(function*() {
      const executed = yield* Queue.unbounded<string>()
      const cleaning = JobKind.repeating({
        name: "cleaning",
        every: "1 hour",
        handle: ({ job }) => Queue.offer(executed, job.id)
      })
      const { sql } = yield* service([
        "insert into svc_nodes (node, seen_at) values ('old', now() - interval '2 days')"
      ], {
        jobs: [cleaning],
        retention: { nodes: Duration.days(1) }
      })
      assert.notStrictEqual(yield* Queue.take(executed), yield* Queue.take(executed))
      const old = sql`select 1 from svc_nodes where node = 'old'`
      yield* Effect.repeat(old, {
        until: ({ length }) => length === 0,
        schedule: Schedule.spaced("50 millis")
      })
      assert.strictEqual((yield* old).length, 0)
    }))
})

describe("a broken database among several", () => {
  it.live.each(Object.entries(faults))(
    "A fault of one database harms only the runs in it, is logged a few times, and heals: %s.",
    ([, [breaking, mending]]) =>
      Effect.gen(function*() {
        const { execute, run, server, untilServed } = yield* service()
        assert.strictEqual((yield* untilServed).status, 200)
        yield* execute(breaking)
        for (let nth = 0; nth < 5; nth++) {
          const [here, there] = yield* Effect.all([run("here"), run("there")], { concurrency: 2 })
          assert.deepStrictEqual([here.status, there.status], [200, 503])
        }
        assert.strictEqual((yield* get(server, "/approvals")).status, 200)
        assert.strictEqual((yield* ask(server, "/ready")).status, 200)
        const errors = server.logs.filter(({ level }) => level === "ERROR" || level === "FATAL")
        const rejected = errors.filter(({ message }) => message.startsWith("The database rejected"))
        for (const { annotations } of rejected) assert.strictEqual(annotations["part"], "database")
        // each background loop logs its failure, and all repeat it after ten seconds
        const messages = new Set(errors.map(({ message }) => message))
        assert.isAtMost(messages.size, 8, [...messages].join("\n"))
        yield* execute(mending)
        assert.strictEqual((yield* untilServed).status, 200)
      })
  )

  it.live.each(Object.entries({ ...faults, "the schema of a newer version": newer }))(
    "A fault of one database does not keep a service from starting, is logged once, and heals: %s.",
    ([, [breaking, mending]]) =>
      Effect.gen(function*() {
        const { execute, run, server, untilServed } = yield* service(breaking)
        assert.strictEqual((yield* run("here")).status, 200)
        assert.strictEqual((yield* run("there")).status, 503)
        yield* execute(mending)
        const answer = yield* untilServed
        assert.strictEqual(answer.status, 200, answer.text)
        const failures = server.logs.filter(({ message }) => message.includes("A database cannot be opened"))
        assert.isAtMost(failures.length, 1)
        for (const { annotations } of failures) assert.strictEqual(annotations["part"], "database")
      })
  )
})
