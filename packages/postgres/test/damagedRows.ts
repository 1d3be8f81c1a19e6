// Statements that many runs share, while one column of one of these runs is damaged: the other runs get what they ask
// for.
import { assert, layer } from "@effect/vitest"
import type * as Run from "@svc-runtime/domain/Run"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { ending, events, message, newId, newRun, presence } from "@svc-runtime/test-support/suites/Samples"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Exit, type Layer, References } from "effect"
import { SqlClient } from "effect/sql"

/** By the type of a column: what a damaged row may say there. */
const damages: Readonly<Record<string, ReadonlyArray<string>>> = {
  text: ["null", "''", "'nonsense'", "repeat('x', 1000)"],
  json: ["null", "'3'", `'"text"'`, "'[]'", "'null'", "'{}'", "(repeat('[', 3000) || repeat(']', 3000))::json"],
  jsonb: ["null", "'3'", "'[]'", "'{}'"],
  integer: ["null", "-1", "-2147483648", "2147483647"],
  bigint: ["null", "-1", "9223372036854775807"],
  boolean: ["null", "true", "false"],
  "timestamp with time zone": ["null", "'infinity'", "'-infinity'"],
  ARRAY: ["null", "'{}'", "'{NULL}'"]
}

const keys: Readonly<Record<string, string>> = {
  svc_sessions: "session_id",
  svc_runs: "seq",
  svc_messages: "run_seq",
  svc_run_journal: "run_seq",
  svc_run_events: "run_seq",
  svc_run_event_folds: "run_seq"
}

const dead = "dead"

/** A run that is executed on a dead node, with a row in each table, and one that waits for it. */
const queued = Effect.gen(function*() {
  const runs = yield* RunStore
  const begun = newRun({ node: dead, history: 3 })
  const { run_id, session_id } = begun
  // a part of the history of later runs
  const before = newRun({ node: dead, session_id })
  yield* runs.create(before)
  yield* runs.finish(ending(before, { run: { messages: [message("user", "hello")] } }))
  yield* runs.create({ ...begun, isSerialized: true })
  yield* runs.record({ run_id, attempt: 1, position: 0, entry: { kind: "answered" }, events: events(begun, 1) })
  const sql = yield* SqlClient.SqlClient
  // no run has folds before it ends; a damaged database may
  yield* sql`
    insert into svc_run_event_folds (run_seq, first_index, last_index, body)
    select seq, 4, 4, '{"event":"RunContent","event_index":4}' from svc_runs where run_id = ${run_id}`
  const next = newRun({ node: dead, session_id, isSerialized: true, history: 3 })
  assert.isTrue((yield* runs.create(next)).isQueued)
  return { begun, before, next }
})

type Queued = Effect.Success<typeof queued>

/** What the node that takes over does with all runs together. */
const servedBeside = Effect.fnUntraced(function*(damaged: Queued, whole: Queued) {
  const runs = yield* RunStore
  const node = newId("node")
  yield* runs.heartbeat(presence(node))
  const acquired = new Map<Run.Id, number>()
  for (let page = 0; page < 3; page++) {
    const taken = yield* Effect.exit(
      runs.takeOver({
        node,
        isStarting: false,
        isSteady: true,
        components: ["agent/assistant"],
        format: 1,
        limit: 100
      })
    )
    if (Exit.isSuccess(taken)) { for (const { attempt, run_id } of taken.value) acquired.set(run_id, attempt) }
  }
  const { begun: { run_id, session_id }, next } = whole
  const attempt = acquired.get(run_id)
  assert.isDefined(attempt, "the run is acquired")
  assert.isDefined(acquired.get(next.run_id), "the run that waits for it is acquired")
  assert.isTrue((yield* runs.load({ run_id, attempt: attempt! }))._tag === "Some", "the run is read")
  const polled = yield* runs.pollEvents([damaged, whole].map(({ begun }) => ({ run_id: begun.run_id, after: -1 })), 10)
  assert.strictEqual(polled.find((each) => each.run_id === run_id)?.events.length, 5, "its events are read")
  assert.isTrue(yield* runs.finish({ ...ending(whole.begun), attempt: attempt! }), "its end is stored")
  const sql = yield* SqlClient.SqlClient
  // the turn of the damaged session has come as well
  yield* sql`update svc_runs set status = 'COMPLETED' where run_id = ${damaged.begun.run_id}`
  const sessions = [damaged.begun.session_id, session_id]
  const turns = new Set<Run.Id>()
  for (let round = 0; round < 2; round++) {
    const uncertain = round === 0 ? [] : [damaged.next.run_id, next.run_id]
    const given = yield* Effect.exit(runs.dequeue({ node, sessions, uncertain }))
    if (Exit.isSuccess(given)) { for (const turn of given.value) turns.add(turn.run_id) }
  }
  assert.isTrue(turns.has(next.run_id), "the next run of its session has its turn")
  yield* runs.cancelRequested(node)
  yield* runs.nodes
})

const columns = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly table_name: string; readonly column_name: string; readonly data_type: string }>`
    select table_name, column_name, data_type from information_schema.columns
    where table_schema = 'public' and is_generated = 'NEVER' and is_identity = 'NO' order by 1, ordinal_position`
  return rows.flatMap(({ column_name, data_type, table_name }) => {
    const key = keys[table_name]
    if (key === undefined || column_name === key) return []
    return (damages[data_type] ?? []).map((value) => ({ table: table_name, key, column: column_name, value }))
  })
})

export const damagedRows = <E>(name: string, stores: Layer.Layer<RunStore | SqlClient.SqlClient, E>) =>
  layer(stores, { excludeTestServices: true })(`Statements over ${name} that runs share`, (it) => {
    it.effect.each(Object.keys(keys))(
      "shared statements serve every run but the one whose row in %s is damaged, in any column",
      (damagedTable) =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const failures: Array<string> = []
          const all = (yield* columns).filter(({ table }) => table === damagedTable)
          for (const { column, key, table, value } of Tier.ofEach(all, 1, ({ column }) => column)) {
            const [damaged, whole] = [yield* queued, yield* queued]
            const { begun, before } = damaged
            const harmed = table === "svc_messages" ? before : begun
            const damage = yield* Effect.exit(sql.unsafe(
              `update ${table} set ${column} = ${value} where ctid = (
                select ctid from ${table}
                where ${key} = (select ${key === "session_id" ? key : "seq"} from svc_runs where run_id = $1)
                order by ctid desc limit 1
              )`,
              [harmed.run_id]
            ))
            // the database itself does not take it
            if (Exit.isFailure(damage)) continue
            const served = yield* Effect.exit(servedBeside(damaged, whole))
            if (Exit.isFailure(served)) {
              failures.push(`${table}.${column} = ${value}: ${String(served.cause).slice(0, 200)}`)
            }
            yield* sql`delete from svc_sessions`
            yield* sql`delete from svc_runs`
            yield* sql`delete from svc_nodes`
          }
          assert.deepStrictEqual(failures, [])
        }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
    )
  })
