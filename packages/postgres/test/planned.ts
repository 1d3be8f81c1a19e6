// The plans of the statements of the stores, in a database with many rows and with statistics: no statement reads a
// table or an index as a whole.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import * as StartLimits from "@svc-runtime/engine/run/StartLimits"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import { ofFeatures } from "@svc-runtime/test-support/stores/AllStores"
import { ending, events, newRun, presence } from "@svc-runtime/test-support/suites/Samples"
import { Cause, Effect, Exit, Layer } from "effect"
import { SqlClient, Statement } from "effect/sql"
import type { SqlServices } from "../src/ShortStatements.ts"
import { fillMedia } from "./mediaCalls.ts"
import { fillOAuth, fillOAuthRequests } from "./oauthCalls.ts"
import { callThese, runCalls, storeCalls } from "./storeCalls.ts"
import * as StoreMethods from "./storeMethods.ts"

const rows = 10_000

const fill = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_sessions (session_id, session_type, agent_id, session_state, created_at, updated_at)
    select 'session-' || number, 'agent', 'a', '{}', 1, 1 from generate_series(1, ${rows}::int) as number`
  // one in a hundred is executed by a living node, and so many wait
  yield* sql`
    insert into svc_runs (run_id, session_id, kind, component_id, node, status, created_at, updated_at, output)
    select 'run-' || number, 'session-' || number, 'agent', 'a', 'living',
      case number % 100 when 0 then 'RUNNING' when 1 then 'PENDING' else 'COMPLETED' end, 1, 1, '{}'
    from generate_series(1, ${rows}::int) as number`
  yield* sql`insert into svc_messages (run_seq, position, role, from_history, body)
    select seq, 1, 'user', false, '{}' from svc_runs`
  yield* sql`insert into svc_run_events (run_seq, event_index, kind, body) select seq, 0, 'RunStarted', '{}' from svc_runs`
  yield* sql`insert into svc_run_journal (run_seq, position, body) select seq, 0, '{}' from svc_runs`
  yield* sql`insert into svc_run_event_folds (run_seq, first_index, last_index, body) select seq, 0, 0, '' from svc_runs`
  yield* sql`
    insert into svc_large_texts (session_id, hash, part, body)
    select session_id, 'hash', 0, '' from svc_sessions`
  yield* sql`
    insert into svc_jobs (id, kind, key, status, payload, max_attempts, is_due, turn, run_at, node)
    select 'job-' || number, 'kind', 'key-' || number,
      case number % 100 when 0 then 'RUNNING' when 1 then 'PENDING' when 2 then 'PENDING' else 'COMPLETED' end,
      '{}', 3, number % 100 = 1, number, now() + interval '1 hour', case number % 100 when 0 then 'living' else '' end
    from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_memory_settings (user_id, is_enabled, updated_at)
    select 'user-' || number, true, 1 from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_audit (at, actor, credential, action, subject_kind, subject_id, counts)
    select number, 'user-' || number % 1000, 'none', 'memory_deleted', 'user', 'user-' || number, '{}'
    from generate_series(1, ${rows}::int) as number`
  yield* fillOAuth(rows)
  yield* fillOAuthRequests(rows)
  yield* fillMedia()
  for (const { fill } of ofFeatures) if (fill !== undefined) yield* fill(rows)
  yield* Effect.flatMap(RunStore, (runs) => runs.heartbeat(presence("living")))
  yield* sql`vacuum analyze`
})

const limitsOf = (run: NewRun) =>
  StartLimits.of({ user: { runsAtOnce: 9, runsPerMinute: 9, tokensPerDay: 9 } }, run, undefined)

/** The calls of the tests of faults, but about a run that exists, which has other statements. */
const calls = Effect.gen(function*() {
  const [runs, jobs] = [yield* RunStore, yield* JobStore]
  const begun = newRun({ isSerialized: true, node: "node" })
  const queued = newRun({ session_id: begun.session_id, isSerialized: true, node: "node" })
  const limited = newRun({ node: "node" })
  const { run_id, session_id } = begun
  const held = { run_id, attempt: 1 }
  const all: Readonly<Record<string, Effect.Effect<unknown, unknown>>> = {
    ...(yield* storeCalls),
    ...(yield* runCalls(begun)),
    "runs.create, queued": runs.create(queued),
    "runs.create, of a stored component": runs.create(
      newRun({ node: "node", assumes: [{ id: "component-1", name: "name", current: null }] })
    ),
    "runs.create, within limits": runs.create({ ...limited, limited: limitsOf(limited) }),
    "runs.resume, within limits": runs.resume({ ...held, node: "node", entry: undefined, limited: limitsOf(limited) }),
    "runs.record": runs.record({ ...held, position: 0, entry: {}, events: events(begun, 3) }),
    "runs.requestCancel": runs.requestCancel(queued.run_id, session_id, { owner: Owner.anyone }),
    "runs.cancelRequested": runs.cancelRequested("living"),
    "runs.dequeue": runs.dequeue({ node: "node", sessions: [session_id], uncertain: [queued.run_id] }),
    "runs.finish": runs.finish(ending(queued)),
    "runs.takeOver": runs.takeOver({
      node: "node",
      isStarting: false,
      isSteady: true,
      limit: 100,
      components: ["agent/x"],
      format: 1
    }),
    "runs.takeOver, at the start": runs.takeOver({ node: "node", isStarting: true, limit: 1 }),
    "jobs.acquire": jobs.acquire({ node: "node", slots: { kind: 1 } }),
    "jobs.takeOver": jobs.takeOver({ node: "node", executing: [], isSteady: true }),
    ...Object.assign({}, ...(yield* Effect.all(ofFeatures.flatMap(({ planned }) => planned ?? []))))
  }
  return all
})

// few rows: nodes, the jobs that are executed, and the tables that are empty here
const small = [
  "svc_nodes",
  "svc_approvals",
  "svc_jobs_running",
  "svc_run_starts",
  "svc_usage_hours",
  "svc_ended_runs",
  "svc_changed_days",
  "svc_idempotency",
  "svc_service_accounts",
  ...ofFeatures.flatMap(({ small = [] }) => small)
].join("|")

/** Reads of a whole table, or of a whole index. One that stops at its first row is none. */
const wholeReads = new RegExp(
  `Seq Scan on (?!${small})svc_\\w+|(?<!Limit [^\\n]*rows=1 [^\\n]*\\n[^\\n]*)Scan using (?!${small})\\S+ on (?!${small})svc_[^\\n]*\\n(?!\\s+Index Cond)`,
  "g"
)

const unbounded: Readonly<Record<string, string>> = {
  "jobs.list": "sorts all jobs of the filter, and is for tests",
  "oauth.insertClient": "counts the clients that wait for their first consent, of which there are at most 1,000",
  "oauth.insertRequest": "counts the requests that wait for a person, of which there are at most 2,000",
  "runs.listAll": "reads the newest runs up to its page, and counts at most 10,000",
  "retention.prune, audit": "reads a number of rows in the order of their ids",
  ...Object.assign({}, ...ofFeatures.map(({ unbounded }) => unbounded))
}

export const plans = <E>(name: string, database: Layer.Layer<SqlServices, E>) =>
  layer(StoreMethods.layer.pipe(Layer.provideMerge(database)))(
    `The plans of the stores, ${name}`,
    (it) => {
      it.effect("every method of every store has its statements planned", () =>
        Effect.gen(function*() {
          assert.deepStrictEqual(yield* StoreMethods.missing(yield* calls), [], callThese)
        }))

      it.effect(
        "no statement about one run, session or job reads a table or an index as a whole",
        () =>
          Effect.gen(function*() {
            const sql = yield* SqlClient.SqlClient
            yield* fill
            const found: Array<string> = []
            for (const [name, call] of Object.entries(yield* calls)) {
              if (name in unbounded) continue
              const statements: Array<readonly [string, ReadonlyArray<unknown>]> = []
              const keep: Statement.Transformer = (statement) =>
                Effect.sync(() => {
                  statements.push(statement.compile())
                  return statement
                })
              // some are about rows that do not exist
              const exit = yield* Effect.exit(Effect.provideService(call, Statement.CurrentTransformer, keep))
              assert.isFalse(Exit.isFailure(exit) && /Unavailable|Die/.test(Cause.pretty(exit.cause)), name)
              for (const [text, parameters] of statements) {
                if (!/^\s*(with|select|insert|update|delete)/i.test(text)) continue
                const lines = yield* sql.unsafe<{ readonly "QUERY PLAN": string }>(`explain ${text}`, parameters)
                const plan = lines.map((line) => line["QUERY PLAN"]).join("\n")
                for (const match of plan.matchAll(wholeReads)) found.push(`${name}: ${match[0].trim()}`)
              }
            }
            assert.deepStrictEqual(found, [])
          })
      )
    }
  )
