// The statement that stores the ends of runs, of many callers at once. A run ends once. A second end of it
// (the same one, sent again because the answer was lost) changes nothing. A run is at most once in a statement.
//
// A run that failed or paused and was continued has other messages now: they replace the stored ones. Its session
// gets the part of its usage that it has not been given yet.
//
// The statuses are named so that the planner does not use the index of unfinished runs: it would read all of it.
import { AnyRun } from "@svc/domain"
import type { RunCompletion } from "@svc/runtime"
import * as MessageColumns from "./messageColumns.ts"
import { integers, json, jsonb, jsonOrNull, text, textOrNull, texts, times } from "./rows.ts"
import { statusesFor } from "./runStatuses.ts"
import * as SessionState from "./sessionState.ts"

/** The journal and the command of a run that can be continued are kept. */
const continuable = statusesFor("continue")

/** Of the runs: $1 ids, $2 statuses, $3 outputs, $4 parent runs, $5 times, $6 changes of session states, $7 usages, $8
 * sessions. Of their messages: $9 places of the runs, $10 positions, $11 roles, $12 from history, $13 bodies. Of their
 * events: $14 places of the runs, $15 indexes, $16 kinds, $17 bodies. Of the runs again: $18 attempts, $19 sizes of
 * their parts of later histories, $20 numbers of messages */
export const statement = `
with ended as (
  update svc_runs set
    status = ($2::text[])[array_position($1::text[], run_id)],
    output = ($3::json[])[array_position($1::text[], run_id)],
    parent_run_id = ($4::text[])[array_position($1::text[], run_id)],
    updated_at = ($5::bigint[])[array_position($1::text[], run_id)],
    told_bytes = ($19::bigint[])[array_position($1::text[], run_id)],
    counted_usage = case ($2::text[])[array_position($1::text[], run_id)]
      when 'ERROR' then ($7::jsonb[])[array_position($1::text[], run_id)] when 'PAUSED' then counted_usage end,
    command = case when ($2::text[])[array_position($1::text[], run_id)] in (${continuable}) then command end
  where run_id = any($1::text[]) and status in ('PENDING', 'RUNNING')
    and attempt = ($18::integer[])[array_position($1::text[], run_id)]
  returning seq, session_id, status, attempt, array_position($1::text[], run_id) as place
), forgotten as (
  delete from svc_run_journal where run_seq = any(array(select seq from ended where status not in (${continuable})))
), messages as (
  insert into svc_messages (run_seq, position, role, from_history, body)
  select ended.seq, m.position, m.role, m.from_history, m.body
  from ended join unnest($9::integer[], $10::integer[], $11::text[], $12::boolean[], $13::json[])
    as m (place, position, role, from_history, body) on m.place = ended.place
  on conflict (run_seq, position) do update set
    role = excluded.role, from_history = excluded.from_history, body = excluded.body
), outdated as (
  delete from svc_messages m using ended
  where ended.attempt > 1 and m.run_seq = ended.seq and m.position > ($20::integer[])[ended.place]
), events as (
  insert into svc_run_events (run_seq, event_index, kind, body)
  select ended.seq, e.event_index, e.kind, e.body
  from ended join unnest($14::integer[], $15::integer[], $16::text[], $17::json[])
    as e (place, event_index, kind, body) on e.place = ended.place
  on conflict do nothing
), sums as (
  select
    session_id,
    svc_sum_usage(used order by place) filter (where status <> 'PAUSED') as usage,
    max(($5::bigint[])[place]) as now,
    array_agg(($6::json[])[place] order by place) filter (where ($6::json[])[place] is not null) as changes
  from (
    select *, case when attempt = 1 then ($7::jsonb[])[place] else coalesce((
      select svc_add_usage(svc_negate_usage(counted_usage), ($7::jsonb[])[place])
      from svc_runs r where r.seq = ended.seq and counted_usage is not null
    ), ($7::jsonb[])[place]) end as used
    from ended
  ) counted group by session_id
), added as (
  update svc_sessions s set
    session_state = case when sums.changes is null or not ${SessionState.isChangeable} then s.session_state
      else svc_change_state(s.session_state, sums.changes) end,
    session_metrics = svc_add_usage(coalesce(s.session_metrics, '{}'), coalesce(sums.usage, '{}')),
    updated_at = sums.now
  from sums where s.session_id = any($8::text[]) and s.session_id = sums.session_id
)
select
  exists (select from ended where ended.place = asked.place) or not exists (
    select from svc_runs r
    where r.run_id = asked.run_id and (r.attempt <> asked.attempt or r.status in ('PENDING', 'RUNNING'))
  ) as held
from unnest($1::text[], $18::integer[]) with ordinality as asked (run_id, attempt, place) order by asked.place`

/** Values as they are sent, with what they weigh. */
export interface Encoded {
  readonly ending: RunCompletion
  readonly output: string
  readonly changes: string | null
  readonly messages: MessageColumns.Encoded
  readonly events: ReadonlyArray<string>
  readonly bytes: number
}

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
    texts(endings.map(({ run }) => text(run.run_id))),
    texts(endings.map(({ run }) => run.status)),
    texts(encoded.map(({ output }) => output)),
    texts(endings.map(({ run }) => textOrNull(run.parent_run_id ?? null))),
    times(endings.map(({ updated_at }) => updated_at)),
    texts(encoded.map(({ changes }) => changes)),
    texts(endings.map(({ usage }) => jsonb(usage))),
    texts([...new Set(endings.map(({ run }) => text(run.session_id)))].sort()),
    ...MessageColumns.columns(encoded.map(({ messages }) => messages)),
    integers(encoded.flatMap(({ events }, index) => events.map(() => index + 1))),
    integers(events.map(({ event_index }) => event_index)),
    texts(events.map(({ event }) => event)),
    texts(encoded.flatMap(({ events }) => events)),
    integers(endings.map(({ attempt }) => attempt)),
    times(encoded.map(({ messages }) => messages.toldBytes)),
    integers(encoded.map(({ messages }) => messages.bodies.length))
  ]
}
