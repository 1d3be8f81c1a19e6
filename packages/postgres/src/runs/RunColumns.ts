// Parts that several statements about runs share.
import * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as JournalLoss from "@svc-runtime/engine/run/journal/JournalLoss"
import type { SqlClient } from "effect/sql"
import * as Path from "../sql/Path.ts"
import { texts } from "../sql/rows.ts"
import * as RunHistory from "./RunHistory.ts"

/** The kinds of events with a piece of an answer: they are stored, but not shown in a run. */
export const contentKinds = RunEvent.kinds.filter((event) => RunEvent.isContent({ event }))

/** The runs that the run `r` in the session `s` is shown. */
const newest = `from svc_runs b
        where b.session_id = r.session_id and b.seq < r.seq and b.parent_run_id is null
          and ${RunHistory.isShown("r.skips_unfinished")}
          and ${Path.has(Path.before("r", "s.is_branched"), "b.seq")}
        order by b.seq desc limit r.history_runs`

export const make = (sql: SqlClient.SqlClient, historyLimit: number) => {
  /** Of a run `r`. */
  const copy = sql`case when r.forked_from_session_id is not null then json_strip_nulls(json_build_object(
      'run_id', r.run_id, 'session_id', r.session_id, 'parent_run_id', r.parent_run_id,
      'forked_from_session_id', r.forked_from_session_id, 'runs', r.copied_runs
    )) end as copy`

  /**
   * Of a run `r`: its events are numbered without a gap, and the last one is found in the index. A damaged one stays in
   * the range of integers: an overflow would fail the statement for other runs.
   */
  const eventCount = sql`1 + least(2147483646, greatest(
      (select max(e.event_index) from svc_run_events e where e.run_seq = r.seq),
      (select f.last_index from svc_run_event_folds f where f.run_seq = r.seq order by f.first_index desc limit 1),
      -1
    ))`

  const columns = sql`
    ${copy}, r.status, r.output, (
      select '[' || string_agg(m.body::text, ',' order by m.position) || ']'
      from svc_messages m where m.run_seq = r.seq
    ) as messages, coalesce((
      select '[' || string_agg(e.body::text, ',' order by e.event_index) || ']'
      from svc_run_events e where e.run_seq = r.seq and e.kind <> all(${contentKinds})
    ), '[]') as events`

  /** Of a run `r` without messages: only the last event of a failed run is read. */
  const outline = sql`
    ${copy}, r.status, r.output, null as messages, case when r.status <> 'ERROR' then '[]' else coalesce((
      select '[' || e.body::text || ']' from svc_run_events e
      where e.run_seq = r.seq order by e.event_index desc limit 1
    ), '[]') end as events`

  /** Of a run `r` in a session `s`: the session state, and the history that fits into the limit. */
  const seen = sql.literal(`
    coalesce(s.session_state, '{}') as session_state, (
      select ${RunHistory.messages("earlier_runs")} from (${
    RunHistory.fitting(newest, String(historyLimit))
  }) earlier_runs
    ) as history`)

  /** Of a run `r`: its ids, its status and its command. */
  const scalars = sql`
    ${copy}, r.run_id, r.attempt, r.session_id, r.kind, r.component_id, r.user_id, r.status, r.node, r.cancel_requested, r.command,
    r.component_version, r.resumed_at, to_jsonb(r.resume_claims) as resume_claims, ${eventCount} as event_count`

  /** Of a run `r`: its output as it is when the run resumes. */
  const output = sql`coalesce(r.set_aside_output, r.output)`

  const messages = sql`(
      select '[' || string_agg(m.body::text, ',' order by m.position) || ']'
      from svc_messages m where m.run_seq = r.seq
    )`

  /** The journal entries before the first missing one. */
  const entries = sql`coalesce((
      select '[' || string_agg(j.body::text, ',' order by j.position) || ']'
      from (
        select position, body, row_number() over (order by position) - 1 as place
        from svc_run_journal where run_seq = r.seq
      ) j where j.position = j.place
    ), '[]')`

  /** Of a run `r`: no journal entry of it is known to be missing. */
  const isComplete = sql`(
      select count(*) = coalesce(max(j.position) + 1, 0)
        and count(*) >= greatest(r.taken_entries, coalesce(r.resumed_at, 0), (
          select coalesce(max(e.journal_entries), 0) from svc_run_events e where e.run_seq = r.seq
        ))
        and (count(*) > 0 or not exists (
          select from svc_run_events e where e.run_seq = r.seq and e.kind = any(${texts(JournalLoss.kindsAfterEntry)})
        ))
      from svc_run_journal j where j.run_seq = r.seq
    )`

  /** Of a run `r` in a session `s`: its snapshot. */
  const snapshot = sql`${scalars}, ${output} as output, ${messages} as messages, ${entries} as entries, ${seen},
    ${isComplete} as is_complete`

  return { copy, columns, outline, seen, eventCount, scalars, output, messages, entries, isComplete, snapshot }
}
