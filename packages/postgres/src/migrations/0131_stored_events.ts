// Removes memories and summaries from stored events. They are not stored with events any more: they would stay when
// what is known about a user is deleted.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { integers, texts, times } from "../sql/rows.ts"

const kinds = [
  "MemoryUpdateCompleted",
  "TeamMemoryUpdateCompleted",
  "SessionSummaryCompleted",
  "TeamSessionSummaryCompleted"
]

interface Row {
  readonly run_seq: number
  readonly event_index: number
  readonly body: string
}

/** Whose rows are read at a time. */
const runsTogether = 500

const without = (body: string): string => {
  const { memories: _, session_summary: __, ...rest } = JSON.parse(body) as Readonly<Record<string, unknown>>
  return JSON.stringify(rest)
}

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [newest] = yield* sql<{ readonly seq: number }>`select coalesce(max(seq), 0)::float8 as seq from svc_runs`
  for (let seq = 0; seq < (newest?.seq ?? 0); seq += runsTogether) {
    const rows = yield* sql<Row>`
      select run_seq::float8 as run_seq, event_index, body::text as body from svc_run_events
      where run_seq > ${seq} and run_seq <= ${seq + runsTogether} and kind = any(${kinds}::text[])`
    if (rows.length === 0) continue
    yield* sql`
      update svc_run_events e set body = c.body::json
      from unnest(
        ${times(rows.map(({ run_seq }) => run_seq))}::bigint[],
        ${integers(rows.map(({ event_index }) => event_index))}::integer[],
        ${texts(rows.map(({ body }) => without(body)))}::text[]
      ) as c (run_seq, event_index, body)
      where e.run_seq = c.run_seq and e.event_index = c.event_index`
  }
})
