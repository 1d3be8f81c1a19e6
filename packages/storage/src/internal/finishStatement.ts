// The statement that stores the ends of runs, of many callers at once. A run ends once. A second end of it
// (the same one, sent again because the answer was lost) changes nothing. A run is at most once in a statement.
//
// A run that failed or paused and was continued has other messages now: they replace the stored ones. Its session
// gets the part of its usage that it has not been given yet.
//
// The statuses are named so that the planner does not use the index of unfinished runs: it would read all of it.
import * as AnyRun from "@svc/domain/AnyRun"
import type { RunCompletion } from "@svc/runtime/run/RunStore"
import * as BatchColumns from "./batchColumns.ts"
import * as MessageColumns from "./messageColumns.ts"
import { integers, json, jsonb, jsonOrNull, text, textOrNull, texts } from "./rows.ts"
import { statusesFor } from "./runStatuses.ts"
import * as SessionState from "./sessionState.ts"

/** The journal and the command of a run that can be continued are kept. */
const continuable = statusesFor("continue")

/** Values as they are sent, with what they weigh. */
export interface Encoded {
  readonly ending: RunCompletion
  readonly output: string
  readonly changes: string | null
  readonly messages: MessageColumns.Encoded
  readonly events: ReadonlyArray<string>
  readonly bytes: number
}

const columns = BatchColumns.make<Encoded>()({
  run_id: ["text", ({ ending }) => text(ending.run.run_id)],
  status: ["text", ({ ending }) => ending.run.status],
  output: ["json", ({ output }) => output],
  parent_run_id: ["text", ({ ending }) => textOrNull(ending.run.parent_run_id ?? null)],
  updated_at: ["bigint", ({ ending }) => ending.updated_at],
  /** Of the session's state. */
  changes: ["json", ({ changes }) => changes],
  usage: ["jsonb", ({ ending }) => jsonb(ending.usage)],
  attempt: ["integer", ({ ending }) => ending.attempt],
  /** The part of the run in later histories. */
  history_bytes: ["bigint", ({ messages }) => messages.historyBytes],
  message_count: ["integer", ({ messages }) => messages.bodies.length]
})

const { after, array } = columns
const runIds = array("run_id")
const place = `array_position(${runIds}, run_id)`
/** The value of a run in the row `svc_runs`. */
const ofRun = (name: Parameters<typeof array>[0]) => `(${array(name)})[${place}]`
/** The value of a run by its place. */
const at = (name: Parameters<typeof array>[0], place = "place") => `(${array(name)})[${place}]`

const sessions = `${after(1)}::text[]`
/** As `MessageColumns.columns` sends them. */
const messageRows = `unnest(${after(2)}::integer[], ${after(3)}::integer[], ${after(4)}::text[], ${after(5)}::boolean[],
    ${after(6)}::json[])`
const eventRows = `unnest(${after(7)}::integer[], ${after(8)}::integer[], ${after(9)}::text[], ${after(10)}::json[])`

export const statement = `
with ended as (
  update svc_runs set
    status = ${ofRun("status")},
    output = ${ofRun("output")},
    parent_run_id = ${ofRun("parent_run_id")},
    updated_at = ${ofRun("updated_at")},
    history_bytes = ${ofRun("history_bytes")},
    counted_usage = case ${ofRun("status")}
      when 'ERROR' then ${ofRun("usage")} when 'PAUSED' then counted_usage end,
    command = case when ${ofRun("status")} in (${continuable}) then command end
  where run_id = any(${runIds}) and status in ('PENDING', 'RUNNING')
    and attempt = ${ofRun("attempt")}
  returning seq, session_id, status, attempt, ${place} as place
), forgotten as (
  delete from svc_run_journal where run_seq = any(array(select seq from ended where status not in (${continuable})))
), messages as (
  insert into svc_messages (run_seq, position, role, from_history, body)
  select ended.seq, m.position, m.role, m.from_history, m.body
  from ended join ${messageRows}
    as m (place, position, role, from_history, body) on m.place = ended.place
  on conflict (run_seq, position) do update set
    role = excluded.role, from_history = excluded.from_history, body = excluded.body
), outdated as (
  delete from svc_messages m using ended
  where m.run_seq = any(array(select seq from ended where attempt > 1)) and m.run_seq = ended.seq and m.position > ${
  at("message_count", "ended.place")
}
), events as (
  insert into svc_run_events (run_seq, event_index, kind, body)
  select ended.seq, e.event_index, e.kind, e.body
  from ended join ${eventRows}
    as e (place, event_index, kind, body) on e.place = ended.place
  on conflict do nothing
), sums as (
  select
    session_id,
    svc_sum_usage(used order by place) filter (where status <> 'PAUSED') as usage,
    max(${at("updated_at")}) as now,
    array_agg(${at("changes")} order by place) filter (where ${at("changes")} is not null) as changes
  from (
    select *, case when attempt = 1 then ${at("usage")} else coalesce((
      select svc_add_usage(svc_negate_usage(counted_usage), ${at("usage")})
      from svc_runs r where r.seq = ended.seq and counted_usage is not null
    ), ${at("usage")}) end as used
    from ended
  ) counted group by session_id
), added as (
  update svc_sessions s set
    session_state = case when sums.changes is null or not ${SessionState.isChangeable} then s.session_state
      else svc_change_state(s.session_state, sums.changes) end,
    session_metrics = svc_add_usage(coalesce(s.session_metrics, '{}'), coalesce(sums.usage, '{}')),
    updated_at = sums.now
  from sums where s.session_id = any(${sessions}) and s.session_id = sums.session_id
)
select
  exists (select from ended where ended.place = sent.place) or not exists (
    select from svc_runs r
    where r.run_id = sent.run_id and (r.attempt <> sent.attempt or r.status in ('PENDING', 'RUNNING'))
  ) as held
from unnest(${runIds}, ${array("attempt")}) with ordinality as sent (run_id, attempt, place) order by sent.place`

export const encode = (ending: RunCompletion): Encoded => {
  const { events, run, state_changes } = ending
  const output = json(AnyRun.withoutLog(run))
  const changes = jsonOrNull(state_changes ?? null)
  const messages = MessageColumns.encode(run)
  const bodies = (events ?? []).map(json)
  const bytes = output.length + (changes?.length ?? 0) + MessageColumns.lengthOf(messages.bodies) +
    MessageColumns.lengthOf(bodies)
  return { ending, output, changes, messages, events: bodies, bytes }
}

export const parameters = (encoded: ReadonlyArray<Encoded>): ReadonlyArray<unknown> => {
  const endings = encoded.map(({ ending }) => ending)
  const events = endings.flatMap((ending) => ending.events ?? [])
  return [
    ...columns.parameters(encoded),
    texts([...new Set(endings.map(({ run }) => text(run.session_id)))].sort()),
    ...MessageColumns.columns(encoded.map(({ messages }) => messages)),
    integers(encoded.flatMap(({ events }, index) => events.map(() => index + 1))),
    integers(events.map(({ event_index }) => event_index)),
    texts(events.map(({ event }) => event)),
    texts(encoded.flatMap(({ events }) => events))
  ]
}
