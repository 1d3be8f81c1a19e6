// The store of traces, for the tests that call all stores.
import type * as Json from "@svc-runtime/domain/Json"
import * as Owner from "@svc-runtime/domain/Owner"
import type { CheckedStores } from "@svc-runtime/test-support/stores/CheckedStores"
import { sessionId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Record, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as TraceFilter from "../TraceFilter.ts"
import { TraceStore } from "../TraceStore.ts"
import { at, root } from "./SampleTraces.ts"

/** Traces of as many sessions, with two spans each. The first ones began first, and one in ten has other runs. */
export const fill = Effect.fnUntraced(function*(rows: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_traces (trace_id, name, name_rank, status, start_time, end_time, run_id, session_id, user_id, agent_id,
      team_id, workflow_id, created_at, total_spans, error_count, bytes, other_runs, other_sessions)
    select lpad(to_hex(number), 32, '0'), 'invoke_agent ' || number % 1000, 1, case number % 100 when 0 then 'ERROR' else 'OK' end,
      ${at(0)}::bigint + number::bigint * 1000000, ${
    at(0)
  }::bigint + number::bigint * 1000000 + number, 'run-' || number, 'session-' || number,
      'user-' || number % 1000, 'agent-' || number % 1000, 'team-' || number % 1000, 'workflow-' || number % 1000,
      ${at(0)}::bigint + number::bigint * 1000000, 2, 0, 10,
      case number % 10 when 0 then array['member-' || number, 'later-' || number] end,
      case number % 10 when 0 then array['later-session-' || number] end
    from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_span_packs (pack_id, lines_left, bytes, body)
    select number, 10, 100, '' from generate_series(1, ${rows}::int / 5) as number`
  yield* sql`
    insert into svc_spans (span_id, trace_id, user_id, session_id, is_root, is_error, started_at, pack_id, pack_line)
    select lpad(to_hex(number * 2 + child), 16, '0'), lpad(to_hex(number), 32, '0'), 'user-' || number % 1000,
      'session-' || number, child = 0, false, ${at(0)}::bigint + number::bigint * 1000000, (number - 1) / 5 + 1,
      (number - 1) % 5 * 2 + child
    from generate_series(1, ${rows}::int) as number, generate_series(0, 1) as child`
  yield* sql`select setval(pg_get_serial_sequence('svc_span_packs', 'pack_id'), (select max(pack_id) from svc_span_packs))`
})

const page = { page: 1, limit: 20 }

const calls = Effect.gen(function*() {
  const store = yield* TraceStore
  const [user_id, session_id] = [userId(), sessionId()]
  const owner = Owner.user(user_id)
  const one = root({ user_id, session_id })
  const query = { owner, filter: TraceFilter.everything }
  return {
    "traces.write": store.write([one], at(1)),
    "traces.list": store.list(query, page),
    "traces.search": store.search(query, page),
    "traces.find": store.find(one.trace_id, owner),
    "traces.findSpan": store.findSpan(one, owner),
    "traces.sessions": store.sessions(query, page),
    "traces.recordRemovalOfSessions": store.recordRemovalOfSessions([session_id], owner, at(5)),
    "traces.removeOfSessions": store.removeOfSessions([session_id], owner, at(2)),
    "traces.recordRemovalOfUser": store.recordRemovalOfUser(user_id, at(5)),
    "traces.removeOfUser": store.removeOfUser(user_id, at(2))
  }
})

const late = "2026-11-20T12:46:30Z"

/** One for each field that can be filtered. */
const selective: ReadonlyArray<readonly [TraceFilter.Field, string | number, string?]> = [
  ["trace_id", "a"],
  ["name", "invoke_agent 7"],
  ["status", "ERROR"],
  ["start_time", late, "GTE"],
  ["end_time", late, "GTE"],
  ["duration_ms", 9.995, "GTE"],
  ["run_id", "run-7"],
  ["session_id", "session-7"],
  ["user_id", "user-7"],
  ["agent_id", "agent-7"],
  ["team_id", "team-7"],
  ["workflow_id", "workflow-7"],
  ["created_at", late, "GTE"]
]

/** Filters that also compare the other runs of traces. */
const ofRuns: ReadonlyArray<readonly [name: string, filter: Json.Object]> = [
  ["another run", { op: "EQ", key: "run_id", value: "member-70" }],
  ["another session", { op: "EQ", key: "session_id", value: "later-session-70" }],
  ["one of several runs", { op: "IN", key: "run_id", values: ["run-7", "member-70"] }],
  ["one of several sessions", { op: "IN", key: "session_id", values: ["session-7", "later-session-70"] }],
  ["a run or a user", {
    op: "OR",
    conditions: [{ op: "EQ", key: "run_id", value: "member-70" }, { op: "EQ", key: "user_id", value: "user-7" }]
  }]
]

const listed = (given: Json.Object) => {
  const query = { owner: Owner.anyone, filter: Result.getOrThrow(TraceFilter.parse(given)) }
  return Effect.flatMap(TraceStore, (store) => store.list(query, page))
}

export const plannedTracesOfRuns: Readonly<Record<string, ReturnType<typeof listed>>> = Object.fromEntries(
  ofRuns.map(([name, filter]) => [`traces.list, ${name}`, listed(filter)])
)

const planned = Effect.gen(function*() {
  const context = yield* Effect.context<TraceStore>()
  const filtered = selective.map(([key, value, op = "EQ"]) =>
    [`traces.list, ${key}`, listed({ op, key, value })] as const
  )
  return Record.map(
    { ...Object.fromEntries(filtered), ...plannedTracesOfRuns },
    (call) => Effect.provide(call, context)
  )
})

export const stores: CheckedStores = {
  history: { traces: ["tables"] },
  tables: ["svc_span_packs", "svc_spans", "svc_trace_removals", "svc_traces"],
  calls,
  fill,
  planned,
  small: ["svc_trace_removals", "svc_traces_failed"]
}
