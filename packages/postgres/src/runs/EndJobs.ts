// The jobs of ended runs, as a part of the statement that stores the ends.
import type { JobsAfterRun } from "@svc-runtime/engine/jobs/JobsAfterRun"
import { pieceLimits } from "@svc-runtime/engine/session/SessionSummaries"
import { insertJobs } from "../jobs/jobInsertion.ts"
import * as Path from "../sql/Path.ts"
import { booleans, integers, json, jsonOrNull, text, textOrNull, texts } from "../sql/rows.ts"

/** Of an integer in PostgreSQL. */
const largest = 2_147_483_647

/** Values as they are sent. */
export interface Encoded {
  readonly jobs: JobsAfterRun
  readonly payloads: ReadonlyArray<string>
  readonly bytes: number
}

export const encode = (jobs: JobsAfterRun = []): Encoded => {
  const payloads = jobs.map(({ payload }) => json(payload as {}))
  return { jobs, payloads, bytes: payloads.reduce((sum, { length }) => sum + length, 0) }
}

const covers = Path.covers(Path.ofLeaf)

/**
 * Whether the path of the session could be due for a summary. What ends with the run is not yet seen as completed.
 * Another run that is executing can end at the same moment, unseen: then the job decides.
 */
const isDue = `exists (
    select from svc_sessions s cross join lateral (
      select count(*) filter (where not without_memory) as runs, count(*) as found, sum(bytes) as bytes from (
        (
          select b.without_memory, case when b.without_memory then 0 else b.history_bytes end as bytes from svc_runs b
          where b.session_id = s.session_id and b.status = 'COMPLETED' and b.parent_run_id is null
            and b.seq > greatest(case when ${covers} then s.summarized_run else 0 end, (
              select m.erased_run from svc_memory_settings m where m.user_id = s.user_id
            )) and ${Path.has(Path.ofLeaf, "b.seq")}
          order by b.seq limit ${pieceLimits.runs}
        )
        union all
        select b.without_memory, case when b.without_memory then 0 else b.history_bytes end from svc_runs b
        where b.seq = any(case when ${covers} then s.passed_runs end) and b.status = 'COMPLETED'
          and ${Path.has(Path.ofLeaf, "b.seq")}
        union all
        select e.without_memory, case when e.without_memory then 0 else e.history_bytes end from ended e
        where e.session_id = s.session_id and e.status = 'COMPLETED' and e.parent_run_id is null
          and ${Path.has(Path.ofLeaf, "e.seq")}
      ) counted
    ) new
    where s.session_id = ended.session_id and (
      new.runs >= n.due_runs or new.bytes >= n.due_bytes or new.found >= ${pieceLimits.runs} or exists (
        select from svc_runs u where u.session_id = s.session_id and u.is_unfinished and u.status = 'RUNNING'
          and u.parent_run_id is null and u.seq <> all(array(select seq from ended))
      )
    )
  )`

/** What `parameters` sends of the jobs with a limit of a day. */
const limitedRows = (parameter: (position: number) => string) =>
  `unnest(
    ${parameter(1)}::integer[], ${parameter(2)}::text[], ${parameter(3)}::text[], ${parameter(15)}::integer[]
  ) as l (place, id, kind, per_day)`

/**
 * Counts the jobs of the day, so that other statements wait for this one. A row that is full is not locked again.
 * `counted_jobs` has the jobs within their limits: the first ones that fit.
 */
const counted = (parameter: (position: number) => string) =>
  `limited as (
  select l.id, l.kind, l.per_day, ended.kind as component_kind, ended.component_id,
    floor(extract(epoch from now()) / 86400)::integer as day,
    row_number() over (partition by l.kind, ended.kind, ended.component_id order by l.place desc, l.id) as from_last
  from ended join ${limitedRows(parameter)} on l.place = ended.place
  join added on added.session_id = ended.session_id and not added.is_evaluation
  where l.per_day > 0
), daily as (
  insert into svc_daily_jobs as d (kind, component_kind, component_id, day, count)
  select kind, component_kind, component_id, day, count(*) from limited l
  where not exists (
    select from svc_daily_jobs f where f.kind = l.kind and f.component_kind = l.component_kind
      and f.component_id = l.component_id and f.day = l.day and f.count >= l.per_day
  )
  group by kind, component_kind, component_id, day
  order by kind, component_kind, component_id
  on conflict (kind, component_kind, component_id) do update set
    day = greatest(d.day, excluded.day),
    count = case when d.day < excluded.day then 0 else d.count end + excluded.count
  returning kind, component_kind, component_id, count
), counted_jobs as (
  select l.id from limited l join daily d using (kind, component_kind, component_id)
  where d.count - l.from_last < l.per_day
)`

/**
 * After the sessions are locked, in one order for all statements: a unique job waits for a statement that stores
 * another one of its key. A job that is stored already, or that another one stands for, is left out.
 */
export const enqueued = (parameter: (position: number) => string): string =>
  `${counted(parameter)}, enqueued as (
  ${insertJobs}
  from ended join unnest(
    ${parameter(1)}::integer[], ${parameter(2)}::text[], ${parameter(3)}::text[], ${parameter(4)}::text[],
    ${parameter(5)}::boolean[], ${parameter(6)}::json[], ${parameter(7)}::integer[], ${parameter(8)}::text[],
    ${parameter(9)}::text[], ${parameter(10)}::text[], ${parameter(11)}::integer[], ${parameter(12)}::integer[],
    ${parameter(13)}::boolean[], ${parameter(14)}::json[], ${parameter(15)}::integer[], ${parameter(8)}::text[]
  ) as n (
    place, id, kind, key, is_unique, payload, max_attempts, user_id, session_id, run_at, due_runs, due_bytes, if_memory_on,
    trace, per_day, caller
  ) on n.place = ended.place
  where (select count(*) from added) >= 0 and not exists (
    select from svc_memory_settings m where n.if_memory_on and m.user_id = n.user_id and not m.is_enabled
  ) and (n.due_runs = 0 or ${isDue}) and (n.per_day = 0 or n.id in (select id from counted_jobs))
  order by n.kind, n.key, n.id
  on conflict do nothing
)`

export const parameters = (encoded: ReadonlyArray<Encoded>): ReadonlyArray<unknown> => {
  const jobs = encoded.flatMap((each) => each.jobs)
  return [
    integers(encoded.flatMap((each, index) => each.jobs.map(() => index + 1))),
    texts(jobs.map(({ id }) => text(id))),
    texts(jobs.map(({ kind }) => text(kind))),
    texts(jobs.map(({ key }) => textOrNull(key))),
    booleans(jobs.map(({ isUnique }) => isUnique)),
    texts(encoded.flatMap(({ payloads }) => payloads)),
    integers(jobs.map(({ max_attempts }) => max_attempts)),
    texts(jobs.map(({ user_id }) => textOrNull(user_id))),
    texts(jobs.map(({ session_id }) => textOrNull(session_id))),
    texts(jobs.map(({ run_at }) => run_at === undefined ? null : String(run_at))),
    integers(jobs.map(({ ifDue }) => ifDue?.runs ?? 0)),
    integers(jobs.map(({ ifDue }) => ifDue?.bytes ?? 0)),
    booleans(jobs.map(({ ifMemoryOn }) => ifMemoryOn ?? false)),
    texts(jobs.map(({ trace }) => jsonOrNull(trace ?? null))),
    integers(jobs.map(({ perDay }) => Math.min(perDay ?? 0, largest)))
  ]
}
