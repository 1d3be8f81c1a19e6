// The statement that stores the ends of runs, of many callers at once. A run ends once. A second end of it
// (the same one, sent again because the reply was lost) changes nothing. A run is at most once in a statement.
//
// A run that failed or paused and was continued has other messages now: they replace the stored ones. Its session
// gets the part of its usage that it has not been given yet.
//
// The statuses are named so that the planner does not use the index of unfinished runs: it would read all of it.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Usage from "@svc-runtime/domain/Usage"
import { millisOf } from "@svc-runtime/engine/run/endedTimes"
import * as EventText from "@svc-runtime/engine/run/events/EventText"
import type { RunCompletion } from "@svc-runtime/engine/run/store/RunWrites"
import * as ChangedDays from "../metrics/ChangedDays.ts"
import * as BatchColumns from "../sql/BatchColumns.ts"
import * as Path from "../sql/Path.ts"
import { integers, json, jsonb, jsonOrNull, text, textOrNull, texts } from "../sql/rows.ts"
import * as EndJobs from "./EndJobs.ts"
import * as MessageColumns from "./MessageColumns.ts"
import * as RunHistory from "./RunHistory.ts"
import { statusesFor } from "./runStatuses.ts"
import * as SessionState from "./SessionState.ts"

/** The journal and the command of a run that can be continued are kept. */
const continuable = statusesFor("continue")

/** Values as they are sent, with what they weigh. */
export interface Encoded {
  readonly ending: RunCompletion
  readonly output: string
  readonly changes: string | null
  readonly millis: ReturnType<typeof millisOf>
  readonly messages: MessageColumns.Encoded
  readonly events: ReadonlyArray<string>
  readonly jobs: EndJobs.Encoded
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
  /** That of its session, if it is the first run with one. The database takes a fifth of the statement to add it up. */
  first_usage: ["jsonb", ({ ending }) => ending.attempt === 1 ? jsonb(Usage.addToSession({}, ending.usage)) : null],
  attempt: ["integer", ({ ending }) => ending.attempt],
  /** The part of the run in later histories. */
  history_bytes: ["bigint", ({ messages }) => messages.historyBytes],
  message_count: ["integer", ({ messages }) => messages.bodies.length],
  model: ["text", ({ ending }) => textOrNull(ending.run.model ?? null)],
  model_provider: ["text", ({ ending }) => textOrNull(ending.run.model_provider ?? null)],
  /** Milliseconds, or less than zero if they are not known. */
  duration: ["integer", ({ millis }) => millis.duration ?? -1],
  time_to_first_token: ["integer", ({ millis }) => millis.time_to_first_token ?? -1]
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

const ended = `ended as (
  update svc_runs set
    status = ${ofRun("status")},
    output = ${ofRun("output")},
    parent_run_id = ${ofRun("parent_run_id")},
    updated_at = ${ofRun("updated_at")},
    history_bytes = ${ofRun("history_bytes")},
    model = ${ofRun("model")},
    model_provider = ${ofRun("model_provider")},
    usage = ${ofRun("usage")} - 'details',
    duration = nullif(${ofRun("duration")}, -1),
    counted_usage = case ${ofRun("status")}
      when 'ERROR' then ${ofRun("usage")} when 'PAUSED' then counted_usage end,
    command = case when ${ofRun("status")} in (${continuable}) then command end
  where run_id = any(${runIds}) and status in ('PENDING', 'RUNNING')
    and attempt = ${ofRun("attempt")}
  returning seq, session_id, status, parent_run_id, history_bytes, without_memory, attempt, kind, component_id,
    user_id, ${place} as place
), forgotten as (
  delete from svc_run_journal where run_seq = any(array(select seq from ended where status not in (${continuable})))
), sent_messages as (
  select ended.seq, m.position, m.role, m.from_history, m.body
  from ended join ${messageRows}
    as m (place, position, role, from_history, body) on m.place = ended.place
), messages as (
  insert into svc_messages (run_seq, position, role, from_history, body)
  select seq, position, role, from_history, body from sent_messages
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
), counted as (
  select *, case when attempt = 1 then ${at("usage")} else coalesce((
    select svc_add_usage(svc_negate_usage(counted_usage), ${at("usage")})
    from svc_runs r where r.seq = ended.seq and counted_usage is not null
  ), ${at("usage")}) end as used
  from ended
), sums as (
  select
    session_id,
    array_agg(used order by place) filter (where status <> 'PAUSED') as usages,
    (array_agg(${at("first_usage")} order by place) filter (where status <> 'PAUSED'))[1] as first_usage,
    max(${at("updated_at")}) as now,
    array_agg(${at("changes")} order by place) filter (where ${at("changes")} is not null) as changes
  from counted group by session_id
)`

/**
 * The usage of all runs of a session in the statement. One run is not summed up, because that took a fifth of the time
 * of the statement.
 */
const usage = `case cardinality(sums.usages) when 1 then sums.usages[1] else (
        select svc_sum_usage(used.usage order by used.place)
        from unnest(sums.usages) with ordinality as used (usage, place)
      ) end`

/** `returned`: more columns of the changed sessions. */
const added = (rest = "", returned = "") =>
  `added as (
  update svc_sessions s set
    session_state = case when sums.changes is null or not ${SessionState.isChangeable} then s.session_state
      else svc_change_state(s.session_state, sums.changes) end,
    session_metrics = case
      when s.session_metrics = '{}' and cardinality(sums.usages) = 1 and sums.first_usage is not null
        then sums.first_usage
      else svc_add_usage(coalesce(s.session_metrics, '{}'), coalesce(${usage}, '{}'))
    end,
    updated_at = sums.now
  from sums where s.session_id = any(${sessions}) and s.session_id = sums.session_id${rest}
  returning s.session_id, s.created_at, s.is_evaluation, sums.now${returned}
), changed_days as (
  ${ChangedDays.noted("added", "added.now")}
), ended_runs as (
  insert into svc_ended_runs (
    ended_at, kind, component_id, user_id, model, model_provider, status, duration, time_to_first_token, usage
  )
  select ${at("updated_at")}, kind, component_id, user_id, ${at("model")}, ${at("model_provider")}, status,
    nullif(${at("duration")}, -1), nullif(${at("time_to_first_token")}, -1), used
  from counted join added on added.session_id = counted.session_id
  where status <> 'PAUSED' and not added.is_evaluation
)`

const held = `exists (select from ended where ended.place = sent.place) or not exists (
    select from svc_runs r
    where r.run_id = sent.run_id and (r.attempt <> sent.attempt or r.status in ('PENDING', 'RUNNING'))
  ) as held`
const sent = `unnest(${runIds}, ${array("attempt")}) with ordinality as sent (run_id, attempt, place)`

/** Ends without jobs have a statement of their own, so that the jobs of others cost them nothing. */
export const statement = `
with ${ended}, ${added()}
select ${held} from ${sent} order by sent.place`

export const withJobs = `
with ${ended}, ${added()}, ${EndJobs.enqueued((position) => after(10 + position))}
select ${held} from ${sent} order by sent.place`

const nodes = `${after(11)}::text[]`
const historyLimit = `${after(12)}::bigint`
const inlineLimit = `${after(13)}::integer`

const onPath = Path.before("t", "added.is_branched")

/** The runs that the run `t` is shown. The runs that the statement itself ends are not in its snapshot. */
const newest = `from (
      (
        select b.seq, b.history_bytes, b.status from svc_runs b
        where b.session_id = t.session_id and b.seq < t.seq and b.parent_run_id is null
          and ${RunHistory.isShown("t.skips_unfinished")} and ${Path.has(onPath, "b.seq")}
        order by b.seq desc limit t.history_runs
      )
      union all
      select b.seq, b.history_bytes, b.status from ended b
      where b.session_id = t.session_id and b.seq < t.seq and b.parent_run_id is null
        and ${RunHistory.isShown("t.skips_unfinished")} and ${Path.has(onPath, "b.seq")}
    ) b order by b.seq desc limit t.history_runs`

const messagesOf = (seq: string) =>
  `(
      select position, role, from_history, body from svc_messages stored
      where stored.run_seq = ${seq} and ${seq} <> all(array(select seq from ended))
      union all
      select position, role, from_history, body from sent_messages sent where sent.seq = ${seq}
    )`

/**
 * The same, and the next run of each session is dequeued. A run that ends is stored as the executing one
 * of its session until the statement is committed, so that no other statement dequeues a run of it. Nothing is dequeued
 * if the next run is locked: runs are not always locked in the order of their acceptance here, so that waiting could be
 * a deadlock.
 */
const dequeuing = (jobs: string) => `
with ${ended}, releasing as (
  select ended.seq, ended.session_id, ended.place from ended
  where exists (
    select from svc_runs o where o.seq = ended.seq and o.is_serialized and o.status = 'RUNNING'
  )
), heads as (
  -- no other run of the session is serialized and executing: a run that waits has to be the first one
  select head.seq from releasing cross join lateral (
    select w.seq from svc_runs w
    where w.session_id = releasing.session_id and w.is_unfinished and w.seq <> all(array(select seq from ended))
    order by w.seq limit 1
  ) head
), dequeued as (
  update svc_runs set status = 'RUNNING'
  where seq = any(array(
    select w.seq from svc_runs w
    where w.seq = any(array(select seq from heads)) and w.status = 'PENDING' and w.waits_for is null
      and w.node = any(${nodes})
    for update skip locked
  ))
  returning seq, session_id, run_id, history_runs, skips_unfinished, after_run
), ${
  added(
    `
    -- runs are locked before sessions
    and (select count(*) from dequeued) >= 0`,
    `, case when octet_length(s.session_state::text) <= ${inlineLimit} then s.session_state end as state, s.is_branched`
  )
}${jobs}
select ${held}, t.run_id, added.state as session_state,
  case when h.bytes <= ${inlineLimit} then ${RunHistory.messages("h", messagesOf)} end as history
from ${sent}
  left join releasing on releasing.place = sent.place
  left join dequeued t on t.session_id = releasing.session_id
  left join added on added.session_id = t.session_id
  cross join lateral (
    ${RunHistory.fitting(newest, historyLimit)}
  ) h order by sent.place`

export const andDequeue = dequeuing("")

export const withJobsAndDequeue = dequeuing(`, ${EndJobs.enqueued((position) => after(13 + position))}`)

/** What a key of a session state weighs when the database compares it: the statement is heavy from 4,097 keys. */
const keyBytes = 64

const stateBytes = ({ run, state_changes }: RunCompletion): number =>
  state_changes === undefined || run.session_state === undefined
    ? 0
    : Object.keys(run.session_state).length * keyBytes

export const encode = (ending: RunCompletion): Encoded => {
  const { events, run, state_changes } = ending
  const output = json(AnyRun.withoutLog(run))
  const changes = jsonOrNull(state_changes ?? null)
  const messages = MessageColumns.encode(run)
  const bodies = (events ?? []).map(EventText.of)
  const jobs = EndJobs.encode(ending.jobs)
  const bytes = jobs.bytes + output.length + (changes?.length ?? 0) + MessageColumns.lengthOf(messages.bodies) +
    MessageColumns.lengthOf(bodies) + stateBytes(ending)
  return { ending, output, changes, millis: millisOf(run), messages, events: bodies, jobs, bytes }
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

export interface Limits {
  /** Bytes of history that a run is shown at most. */
  readonly history: number
  /** Bytes of state and of history up to which the statement gives them itself. */
  readonly inline: number
}

/** Of `andDequeue`, of runs with their nodes. */
export const andDequeueParameters = (
  encoded: ReadonlyArray<Encoded & { readonly node: string }>,
  { history, inline }: Limits
): ReadonlyArray<unknown> => [
  ...parameters(encoded),
  texts(encoded.map(({ node }) => text(node))),
  history,
  inline
]
