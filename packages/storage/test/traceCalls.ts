// Calls of the store of traces, for the tests of plans and of faults.
import * as Owner from "@svc/domain/Owner"
import * as TraceFilter from "@svc/domain/TraceFilter"
import { TraceStore } from "@svc/runtime/trace/TraceStore"
import { sessionId, userId } from "@svc/testing/suites/Samples"
import { at, root } from "@svc/testing/suites/traces/SampleTraces"
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"

/** Traces of as many sessions, with two spans each. The first ones began first. */
export const fillTraces = Effect.fnUntraced(function*(rows: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_traces (trace_id, name, name_rank, status, start_time, end_time, run_id, session_id, user_id, agent_id,
      team_id, workflow_id, created_at, total_spans, error_count, bytes)
    select lpad(to_hex(number), 32, '0'), 'invoke_agent ' || number % 1000, 1, case number % 100 when 0 then 'ERROR' else 'OK' end,
      ${at(0)}::bigint + number::bigint * 1000000, ${
    at(0)
  }::bigint + number::bigint * 1000000 + number, 'run-' || number, 'session-' || number,
      'user-' || number % 1000, 'agent-' || number % 1000, 'team-' || number % 1000, 'workflow-' || number % 1000,
      ${at(0)}::bigint + number::bigint * 1000000, 2, 0, 10
    from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_spans (span_id, trace_id, user_id, session_id, is_root, is_error, started_at, body)
    select lpad(to_hex(number * 2 + child), 16, '0'), lpad(to_hex(number), 32, '0'), 'user-' || number % 1000,
      'session-' || number, child = 0, false, ${at(0)}::bigint + number::bigint * 1000000, '{}'
    from generate_series(1, ${rows}::int) as number, generate_series(0, 1) as child`
})

const page = { page: 1, limit: 20 }

export const traceCalls = Effect.gen(function*() {
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
    "traces.removeOfSessions": store.removeOfSessions([session_id], owner, at(2)),
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

export const plannedTraces = Effect.gen(function*() {
  const store = yield* TraceStore
  const filtered = selective.map(([key, value, op = "EQ"]) => {
    const query = { owner: Owner.anyone, filter: Result.getOrThrow(TraceFilter.parse({ op, key, value })) }
    return [`traces.list, ${key}`, store.list(query, page)] as const
  })
  return Object.fromEntries(filtered)
})
