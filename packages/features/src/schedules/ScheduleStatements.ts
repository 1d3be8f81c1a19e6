// The statements that fire schedules and record their runs, each with the jobs that it enqueues.
import { insertJobs } from "@svc-runtime/postgres/jobs/jobInsertion"
import { jsonOrNull, text, textOrNull, texts, times } from "@svc-runtime/postgres/sql/rows"
import type * as TraceContext from "@svc-runtime/telemetry/TraceContext"
import type { SqlClient } from "effect/sql"
import * as Schedule from "./Schedule.ts"
import { isLast, onlyMark, runColumns } from "./scheduleColumns.ts"
import { jobAttempts, jobKind } from "./ScheduleJobs.ts"
import type { Ending, ScheduleTarget, Triggering } from "./ScheduleRunStore.ts"

const now = "floor(extract(epoch from now()))::bigint"

/** Orphaned runs that are read at once. */
const orphanedAtOnce = 100

/** Seconds in which a record without a job is not checked. */
const gracePeriod = 60

/**
 * A row of `begin`: a record, the fields of its schedule with their names in front, the fields that the attempt began
 * with, and the seconds since then, below zero. The record has no id if it waits for an earlier one, or has ended
 * meanwhile.
 */
interface BegunRow {
  readonly id: string | null
  readonly begun: Readonly<Record<string, unknown>> | null
  readonly since: number
  /** Null: it does not wait. */
  readonly waits: number | null
}

const prefix = "of_schedule_"

export const begun = (
  { begun, since, waits, ...columns }: BegunRow & Readonly<Record<string, unknown>>
): ReadonlyArray<object> => {
  if (waits !== null) return [{ waits }]
  if (columns.id === null) return []
  const schedule: Readonly<Record<string, unknown>> = Object.fromEntries(
    Schedule.attemptFields.map((name) => [name, columns[`${prefix}${name}`]])
  )
  // JSON that has "\u0000" cannot be taken apart in the database
  const kept = { ...schedule, ...begun }
  const seconds = since + Number(kept["timeout_seconds"])
  return [{ seconds, run: columns, schedule: kept, isLast: begun?.["isLast"] === true }]
}

export const make = (sql: SqlClient.SqlClient) => {
  const at = sql.literal(now)

  const jobsOf = `enqueued as (
      ${insertJobs}
      from (
        select '${jobKind}:' || f.id as id, '${jobKind}' as kind, f.key, false as is_unique,
          json_build_object('schedule_run_id', f.id) as payload, ${jobAttempts} as max_attempts, null::text as user_id,
          f.caller,
          null::text as session_id, f.run_at::text as run_at,`

  /** Jobs of the records in `starting`, with a key or null. */
  const enqueued = (trace: TraceContext.Stored | undefined) =>
    sql`${sql.literal(jobsOf)} ${jsonOrNull(trace ?? null)}::json as trace
        from starting f
      ) n
      on conflict (id) do nothing
      returning id
    )`

  const nextDue = (limit: number) =>
    sql<{ readonly at: number }>`
      select s.id, s.cron_expr, s.timezone, s.catch_up, s.catch_up_window_seconds, s.jitter_seconds,
        s.next_run_at::float8 as next_run_at, (extract(epoch from statement_timestamp()) * 1000)::float8 as at
      from svc_schedules s
      where s.enabled and s.next_run_at <= greatest(
        floor(extract(epoch from statement_timestamp()))::bigint,
        (select e.next_run_at from svc_schedules e where e.enabled order by e.next_run_at limit 1)
      )
      order by s.next_run_at limit ${limit}`

  // A schedule that another node moves at this moment is left to that node.
  const fire = (firings: ReadonlyArray<Schedule.Firing>) => {
    const slots = firings.flatMap(({ id, slots }) => slots.map((slot) => ({ ...slot, schedule: id })))
    return sql`
      with wanted as (
        select w.* from unnest(
          ${texts(firings.map(({ id }) => text(id)))}::text[], ${
      times(firings.map(({ expected }) => expected))
    }::bigint[],
          ${texts(firings.map(({ cron_expr }) => cron_expr))}::text[],
          ${texts(firings.map(({ timezone }) => timezone))}::text[],
          ${texts(firings.map(({ next_run_at }) => next_run_at === null ? null : String(next_run_at)))}::text[],
          ${texts(firings.map(({ paused_reason }) => paused_reason))}::text[]
        ) as w (id, expected, cron_expr, timezone, next_run_at, paused_reason)
      ), held as materialized (
        select s.id, s.overlap, coalesce(s.user_id, '') as caller from svc_schedules s
        where s.id = any(array(select id from wanted)) and exists (
          select from wanted w where w.id = s.id and s.enabled and s.next_run_at = w.expected
            and s.cron_expr = w.cron_expr and s.timezone = w.timezone
        )
        for update skip locked
      ), moved as (
        update svc_schedules s set
          next_run_at = coalesce(w.next_run_at::bigint, s.next_run_at), enabled = w.next_run_at is not null,
          paused_reason = w.paused_reason
        from held h join wanted w on w.id = h.id where s.id = h.id
        returning s.id
      ), slots as (
        select f.*, h.overlap, h.caller,
          row_number() over (partition by f.schedule_id order by f.slot)
            + case h.overlap when 'cancel' then 0 else u.count end as place,
          count(*) over (partition by f.schedule_id) as slots
        from unnest(
          ${texts(slots.map(({ schedule }) => text(schedule)))}::text[], ${
      texts(slots.map(({ id }) => text(id)))
    }::text[],
          ${times(slots.map(({ slot }) => slot))}::bigint[],
          ${texts(slots.map(({ run_at }) => run_at === undefined ? null : String(run_at)))}::text[]
        ) as f (schedule_id, id, slot, run_at)
        join held h on h.id = f.schedule_id
        cross join lateral (
          select count(*) from (
            select from svc_schedule_runs r
            where r.schedule_id = h.id and r.status = 'running' and r.slot is not null limit ${Schedule.maxUnfinished}
          ) unfinished
        ) u
      ), cancelled as (
        update svc_schedule_runs r set
          status = 'cancelled', completed_at = ${at}, begun = null, error = ${Schedule.superseded}
        where r.schedule_id = any(array(select s.schedule_id from slots s where s.overlap = 'cancel'))
          and r.status = 'running' and r.slot is not null
        returning r.id
      ), stopped as (
        update svc_jobs j set
          cancel_requested = true, updated_at = now(), pending_key = null,
          status = case j.status when 'PENDING' then 'CANCELLED' else j.status end
        from cancelled c where j.id = ${`${jobKind}:`} || c.id and j.status in ('PENDING', 'RUNNING')
        returning 1
      ), chosen as (
        select s.*, case s.overlap
            when 'skip' then s.place > 1
            when 'cancel' then s.place < s.slots
            else s.place > ${Schedule.maxUnfinished}
          end as is_skipped
        from slots s
      ), fired as (
        insert into svc_schedule_runs (
          id, first_id, schedule_id, slot, attempt, status, completed_at, error, created_at
        )
        select c.id, c.id, c.schedule_id, c.slot, 1, case when c.is_skipped then 'cancelled' else 'running' end,
          case when c.is_skipped then ${at} end, case when c.is_skipped then ${Schedule.overlapping} end, ${at}
        from chosen c order by c.slot
        on conflict (schedule_id, slot, attempt) where slot is not null do nothing
        returning id, status
      ), starting as (
        select c.id, case c.overlap when 'queue' then c.schedule_id end as key, c.run_at, c.caller
        from chosen c join fired on fired.id = c.id where fired.status = 'running'
      ), ${enqueued(undefined)}
      select (select count(*) from moved)::int as schedules, (select count(*) from enqueued)::int as runs,
        (select count(*) from stopped)::int as cancelled`
  }

  const kept = (author: string) =>
    sql.literal(
      `json_build_object(${Schedule.keptFields.map((name) => `'${name}', s.${name}`).join(", ")}, 'author', ${author})`
    )

  // A run with an author of its own keeps what its caller has seen, in its further attempts too: another author may
  // change the schedule.

  /** No row: there are too many. */
  const trigger = (
    { endpoint, id: schedule, method }: ScheduleTarget,
    id: Schedule.RunId,
    { author, trace }: Triggering
  ) =>
    sql<{ readonly isStored: boolean }>`
      with room as materialized (
        select where (
          select count(*) from (
            select from svc_schedule_runs r
            where r.schedule_id = ${text(schedule)} and r.status = 'running' and r.slot is null and r.id <> ${text(id)}
            limit ${Schedule.maxUnfinished}
          ) unfinished
        ) < ${Schedule.maxUnfinished}
      ), added as (
        insert into svc_schedule_runs as t (id, first_id, schedule_id, attempt, status, created_at, author, begun)
        select ${text(id)}, ${text(id)}, s.id, 1, 'running', ${at}, r.author,
          case when r.author is not null then ${kept("r.author")} end
        from svc_schedules s cross join room cross join (select ${textOrNull(author ?? null)} as author) r
        where s.id = ${text(schedule)} and s.method = ${text(method)} and s.endpoint = ${text(endpoint)}
        for share of s
        -- also finds what a statement whose reply was lost has stored since this one began
        on conflict (id) do update set id = t.id
        returning id, schedule_id, xmax = 0 as is_new
      ), starting as (
        select a.id, null::text as key, null::text as run_at, coalesce(s.user_id, '') as caller
        from added a join svc_schedules s on s.id = a.schedule_id where a.is_new
      ), ${enqueued(trace)}
      select (select count(*) from enqueued), exists (select from added)
        or exists (select from svc_schedule_runs r where r.id = ${text(id)}) as "isStored" from room`

  const begin = (id: Schedule.RunId) =>
    sql<BegunRow & Readonly<Record<string, unknown>>>`
      with found as (
        select r.id, r.schedule_id, ${
      kept("coalesce(r.author, s.author)")
    } as kept, case when s.overlap = 'queue' and r.triggered_at is null then (
          select e.id from svc_schedule_runs e
          where e.schedule_id = r.schedule_id and e.status = 'running' and e.slot < r.slot order by e.slot limit 1
        ) end as earlier
        from svc_schedule_runs r join svc_schedules s on s.id = r.schedule_id
        where r.id = ${text(id)} and r.status = 'running'
      ), begun as (
        update svc_schedule_runs r set
          triggered_at = coalesce(r.triggered_at, ${at}), begun = coalesce(r.begun, f.kept)
        from found f where r.id = f.id and r.status = 'running' and f.earlier is null returning r.*
      )
      select ${sql.literal(runColumns)}, r.begun, ${
      sql.literal(Schedule.attemptFields.map((name) => `s.${name} as ${prefix}${name}`).join(", "))
    },
        (r.triggered_at - extract(epoch from clock_timestamp()))::float8 as since,
        case when f.earlier is not null then 1 + greatest(0, coalesce((
          select extract(epoch from j.run_at - now()) from svc_jobs j where j.id = ${`${jobKind}:`} || f.earlier
        ), 0)) end::float8 as waits
      from found f join svc_schedules s on s.id = f.schedule_id left join begun r on r.id = f.id`

  const note = (id: Schedule.RunId, { run_id, session_id }: { readonly run_id: string; readonly session_id: string }) =>
    sql`
      update svc_schedule_runs set run_id = ${text(run_id)}, session_id = ${text(session_id)}
      where id = ${text(id)} and status = 'running'`

  // The schedule is locked first, as the statement that fires it does.
  const finish = (id: Schedule.RunId, { next_id, outcome, pauseAfter, target, trace }: Ending) => {
    const { error, input, output, requirements, run_id, session_id, status, status_code } = outcome
    const isFailed = status === "failed"
    const isRepeated = isFailed && outcome.isLast !== true
    return sql`
      with schedule as materialized (
        select s.id, s.max_retries, s.retry_delay_seconds, s.overlap, coalesce(s.user_id, '') as caller,
          s.method = ${textOrNull(target?.method ?? null)} and s.endpoint = ${
      textOrNull(target?.endpoint ?? null)
    } as is_same
        from svc_schedules s
        where s.id = (select schedule_id from svc_schedule_runs where id = ${text(id)}) for update
      ), before as materialized (
        select case when r.author is not null then r.begun end as begun from svc_schedule_runs r where r.id = ${
      text(id)
    }
      ), ended as (
        update svc_schedule_runs r set
          status = ${status}, status_code = ${status_code}, completed_at = ${at}, begun = ${
      sql.literal(onlyMark)
    }, run_id = ${textOrNull(run_id)},
          session_id = ${textOrNull(session_id)}, error = ${textOrNull(error)}, input = ${jsonOrNull(input)}::json,
          output = ${jsonOrNull(output)}::json, requirements = ${jsonOrNull(requirements)}::json
        from schedule s where r.id = ${text(id)} and r.schedule_id = s.id and r.status = 'running'
        returning r.*
      ), added as (
        insert into svc_schedule_runs (id, first_id, schedule_id, slot, attempt, status, created_at, author, begun)
        select ${text(next_id)}, e.first_id, e.schedule_id, e.slot, e.attempt + 1, 'running', ${at}, e.author, b.begun
        from ended e join schedule s on s.id = e.schedule_id cross join before b
        where ${isRepeated} and not ${
      sql.literal(isLast("e"))
    } and e.attempt <= s.max_retries and (e.slot is not null or s.is_same)
        returning id, schedule_id, slot
      ), counted as (
        update svc_schedules s set
          consecutive_failures = case when ${isFailed} then s.consecutive_failures + 1 else 0 end,
          enabled = s.enabled and not ${isFailed && pauseAfter > 0}
            or s.enabled and s.consecutive_failures + 1 < ${pauseAfter},
          paused_reason = case
            when s.enabled and ${isFailed && pauseAfter > 0} and s.consecutive_failures + 1 >= ${pauseAfter}
            then (s.consecutive_failures + 1) || ' runs in a row failed' else s.paused_reason end
        from ended e where s.id = e.schedule_id and e.slot is not null and not exists (select from added)
          and (${isFailed} or s.consecutive_failures > 0)
        returning s.id
      ), starting as (
        select a.id, case when s.overlap = 'queue' and a.slot is not null then s.id end as key,
          (extract(epoch from now()) + s.retry_delay_seconds)::text as run_at, s.caller
        from added a join schedule s on s.id = a.schedule_id
      ), ${enqueued(trace)}
      select (select count(*) from enqueued) + (select count(*) from counted) as followed from ended`
  }

  const running = (id: Schedule.RunId) =>
    sql`select 1 from svc_schedule_runs where id = ${text(id)} and status = 'running'`

  const orphaned = sql`
    select r.id, r.run_id, r.session_id from svc_schedule_runs r
    where r.status = 'running' and r.created_at <= ${at} - ${gracePeriod}::bigint and coalesce((
      select j.status not in ('PENDING', 'RUNNING') from svc_jobs j where j.id = ${`${jobKind}:`} || r.id
    ), true)
    limit ${orphanedAtOnce}`

  return { orphaned, begin, finish, fire, nextDue, note, running, trigger }
}
