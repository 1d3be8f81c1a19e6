// The statements of jobs that decide which of them is next.
import * as Job from "@svc-runtime/engine/jobs/Job"
import type { Acquisition, JobTakeover } from "@svc-runtime/engine/jobs/JobStore"
import type { SqlClient, Statement } from "effect/sql"
import * as DeadNodes from "../nodes/DeadNodes.ts"
import { integers, json, jsonOrNull, text, textOrNull, texts } from "../sql/rows.ts"
import { turnOf } from "./jobInsertion.ts"

/** Of one statement. */
const rowsAtOnce = 500

/** With this many keys that have due jobs, few rows are those of keys that are executed. */
const keysAtOnce = 50

/** Fewer, because other statements wait for one that writes into this many indexes. */
const promotedAtOnce = 100

export const make = (sql: SqlClient.SqlClient) => {
  const insert = (
    job: Job.NewJob,
    condition: (kind: Statement.Fragment, key: Statement.Fragment) => Statement.Fragment
  ) => {
    const kind = sql`${text(job.kind)}::text`
    const key = sql`${textOrNull(job.key)}::text`
    const runAt = job.run_at === undefined ? sql`now()` : sql`to_timestamp(${job.run_at}::float8)`
    return sql`
      insert into svc_jobs as j (
        id, kind, key, pending_key, status, payload, max_attempts, user_id, caller, session_id, is_due, turn, run_at,
        trace
      )
      select
        ${text(job.id)}, ${kind}, ${key}, ${job.isUnique ? key : sql`null`}, 'PENDING', ${
      json(job.payload as {})
    }::json,
        ${job.max_attempts}, ${textOrNull(job.user_id)}, n.caller, ${textOrNull(job.session_id)}, ${runAt} <= now(),
        ${sql.literal(turnOf("n.kind", "n.key", "n.caller"))}, ${runAt}, ${jsonOrNull(job.trace ?? null)}::json
      from (select ${kind} as kind, ${key} as key, ${
      textOrNull(job.caller === undefined ? job.user_id : job.caller)
    }::text as caller) n
      where ${condition(kind, key)}
      on conflict (kind, pending_key) where pending_key is not null`
  }

  /** Can stand in a statement of its own, or as a part of the one that stores what the job is about. */
  const enqueue = (job: Job.NewJob) =>
    sql`
      ${insert(job, () => sql`true`)} do update set
        run_at = least(j.run_at, excluded.run_at), is_due = j.is_due or excluded.is_due
      returning id, id = ${text(job.id)} as "isNew"`

  /** One condition for each index. */
  const waits = [sql`o.status = 'PENDING' and o.is_due`, sql`o.status = 'PENDING' and not o.is_due`]

  const enqueueWithout = (statuses: ReadonlyArray<Statement.Fragment>) => (job: Job.NewJob) =>
    sql`
      ${
      insert(job, (kind, key) =>
        sql.and(
          statuses
            .map((status) =>
              sql`not exists (
              select from svc_jobs o where o.kind = ${kind} and o.key = ${key} and ${status}
            )`
            )
        ))
    } do nothing returning 1`

  // One statement sees a job either waiting or executed, also while a node acquires it.
  const enqueueMissing = enqueueWithout([sql`o.status = 'RUNNING'`, ...waits])
  const enqueueNext = enqueueWithout(waits)

  /** `promote` makes them due. */
  const hasten = (kind: string, key: string) =>
    sql`
      update svc_jobs set run_at = now()
      where kind = ${text(kind)} and key = ${text(key)} and status = 'PENDING' and not is_due and run_at > now()`

  /**
   * Returns a row for each job, up to `promotedAtOnce`. The first turn of each kind, key and caller is looked up once.
   *
   * `id >= ''` is a condition of the index of delayed jobs by their time, so that no other statement uses it.
   */
  const promote = sql`
    with due as materialized (
      select d.id, d.kind, d.key, d.caller from svc_jobs d where d.status = 'PENDING' and not d.is_due and d.id >= ''
        and d.run_at <= now()
      order by d.run_at limit ${promotedAtOnce} for update skip locked
    ), turns as materialized (
      select k.kind, k.key, k.caller, ${
    sql.literal(turnOf("k.kind", "k.key", "k.caller"))
  } as turn from (select distinct kind, key, caller from due) k
    )
    update svc_jobs j set is_due = true, turn = turns.turn
    from due join turns on turns.kind = due.kind and turns.key is not distinct from due.key
      and turns.caller is not distinct from due.caller
    where j.id = due.id
    returning 1`

  const isDue = (job: string) =>
    sql`${sql.literal(`${job}.kind = wanted.kind and ${job}.status = 'PENDING' and ${job}.is_due`)}`

  const isFree = sql`not exists (
    select from svc_jobs r where r.kind = j.kind and r.key = j.key and r.status = 'RUNNING'
  )`

  /** Up to `limit` of each kind. */
  const countDue = (kinds: ReadonlyArray<string>, limit: number) =>
    sql`
      select wanted.kind, (
        select count(*)::int from (select from svc_jobs j where ${isDue("j")} limit ${limit}) due
      ) as count
      from unnest(${texts(kinds.map(text))}::text[]) with ordinality as wanted (kind, place) order by wanted.place`

  const countWaiting = (kinds: ReadonlyArray<string>, caller: string, limit: number) =>
    sql`
      select count(*)::int as count from (
        select from unnest(${texts(kinds.map(text))}::text[]) as wanted (kind) cross join lateral (
          ${
      sql.join(" union all ", false)(waits.map((waits) =>
        sql`
            (select 1 from svc_jobs o where o.kind = wanted.kind and o.caller = ${
          text(caller)
        } and ${waits} limit ${limit})`
      ))
    }
        ) each_kind limit ${limit}
      ) waiting`

  const first = sql`order by j.turn, j.seq limit wanted.slots for update of j skip locked`

  /** The keys of due jobs. The last row is without a key if these are all. */
  const dueKeys = sql`
    keys (key, place) as (
      (select j.key, 1 from svc_jobs j where ${isDue("j")} and j.key is not null order by j.key limit 1)
      union all
      select (
        select j.key from svc_jobs j where ${isDue("j")} and j.key > keys.key order by j.key limit 1
      ), keys.place + 1
      from keys where keys.key is not null and keys.place < ${keysAtOnce}
    )`

  // a condition of each job: without statistics the planner compares each job with each other one
  const isFirstOfFree = sql`(
    select r.id from svc_jobs r where r.kind = j.kind and r.key = j.key and r.status = 'RUNNING' limit 1
  ) is null and j.id = (
    select e.id from svc_jobs e where ${isDue("e")} and e.key = j.key order by e.turn, e.seq limit 1
  )`

  const isOneOfMany = sql`exists (select from keys where place = ${keysAtOnce} and key is not null)`

  /** Looked up once, in the order of an index: each node searches every second, and most of the time there is none. */
  const isAnyDue = sql`(
    select d.kind from svc_jobs d where d.status = 'PENDING' and d.is_due order by d.kind, d.turn, d.seq limit 1
  ) is not null`

  // Only the first job of a key is taken, and none while another one of its key is executed. All jobs are read in their
  // order only where many keys have some: a key with many would otherwise be read as a whole.
  const acquire = ({ busy = [], node, slots }: Acquisition) => {
    const isInTurn = busy.length === 0 ? sql`true` : sql`not exists (
      select from unnest(
        ${texts(busy.map(({ kind }) => text(kind)))}::text[], ${texts(busy.map(({ caller }) => text(caller)))}::text[]
      ) as busy (kind, caller) where busy.kind = j.kind and busy.caller = j.caller
    )`
    return sql`
      with picked as (
        select c.id from unnest(
          ${texts(Object.keys(slots).map(text))}::text[], ${integers(Object.values(slots))}::int[]
        ) as wanted (kind, slots) cross join lateral (
          with recursive ${dueKeys}
          select next.id from (
            select * from (
              select j.id, j.turn, j.seq from svc_jobs j where ${isDue("j")} and j.key is null and ${isInTurn} ${first}
            ) without_key
            union all
            select * from (
              select j.id, j.turn, j.seq from keys cross join lateral (
                select e.id from svc_jobs e where ${isDue("e")} and e.key = keys.key order by e.turn, e.seq limit 1
              ) e join svc_jobs j on j.id = e.id
              where not ${isOneOfMany} and ${isDue("j")} and ${isFree} and ${isInTurn} ${first}
            ) of_few
            union all
            select * from (
              select j.id, j.turn, j.seq from svc_jobs j
              where ${isOneOfMany} and ${isDue("j")} and j.key is not null and ${isFirstOfFree} and ${isInTurn} ${first}
            ) of_many
          ) next order by next.turn, next.seq limit wanted.slots
        ) c
        where ${isAnyDue}
      )
      update svc_jobs j set
        status = 'RUNNING', node = ${text(node)}, lease = j.lease % 2147483646 + 1,
        attempts = least(j.attempts + 1, 1000000), pending_key = null, updated_at = now()
      from picked where j.id = picked.id
      returning j.id, j.lease, j.kind, j.key, j.payload, j.attempts, j.max_attempts, j.user_id, j.caller,
        j.session_id, j.trace`
  }

  // `Job.delayAfterLoss` as SQL. A sum, because the planner could read the index of all jobs in their order.
  const takeOver = ({ executing, ...holder }: JobTakeover) => {
    const nodes = DeadNodes.make(sql, holder, sql`n.node in (select node from svc_jobs where status = 'RUNNING')`)
    return sql`
      with ${nodes.tables}
      update svc_jobs j set
        status = case when j.cancel_requested then 'CANCELLED' when j.attempts >= j.max_attempts then 'FAILED'
          else 'PENDING' end,
        node = '', is_due = false, run_at = now() + make_interval(secs => 10.0 * greatest(j.attempts - 1, 0)),
        last_error = ${Job.nodeLost}, updated_at = now()
      where j.id = any(array(
        select r.id from svc_jobs r
        where r.status = 'RUNNING' and (
          (r.node = ${text(holder.node)} and r.id <> all(${texts(executing.map(text))}::text[]))
          or ${nodes.isDead("r.node")}
        )
        order by r.seq + 0 limit ${rowsAtOnce} for update skip locked
      ))
      returning 1`
  }

  const again = sql`case when cancel_requested then 'CANCELLED' else 'PENDING' end`

  const after = (seconds: number) => sql`is_due = false, run_at = now() + make_interval(secs => ${seconds}::float8)`

  /** Behind the jobs that wait. A job that a node cannot read keeps its place. */
  const behind = sql`seq = default`

  /** What the end of an attempt sets. */
  const changesOf = (end: Job.End): Statement.Fragment => {
    switch (end._tag) {
      case "Completed":
        return sql`status = 'COMPLETED', last_error = null`
      case "Cancelled":
        return sql`status = 'CANCELLED'`
      case "Failed":
        return sql`status = 'FAILED', last_error = ${text(end.error)}`
      case "Retry":
        return sql`status = ${again}, last_error = ${text(end.error)}, ${after(end.seconds)}`
      case "Postponed":
        return sql`status = ${again}, attempts = greatest(attempts - 1, 0),
          last_error = coalesce(${textOrNull(end.error ?? null)}, last_error), ${after(end.seconds)}${
          end.error === undefined ? sql`, ${behind}` : sql``
        }`
      case "Released":
        return sql`status = ${again}, attempts = greatest(attempts - 1, 0)`
      case "Repeat":
        return sql`status = ${again}, attempts = 0, last_error = null, ${after(end.seconds)}, ${behind},
          pending_key = case when cancel_requested then null else key end`
    }
  }

  const isHeld = ({ id, lease }: Job.Lease) => sql`j.id = ${text(id)} and j.lease = ${lease} and j.status = 'RUNNING'`

  const finish = (lease: Job.Lease, end: Job.End) =>
    sql`update svc_jobs j set node = '', updated_at = now(), ${changesOf(end)} where ${isHeld(lease)} returning 1`

  const progressed = (lease: Job.Lease) =>
    sql`update svc_jobs j set attempts = 0, updated_at = now() where ${isHeld(lease)}`

  return {
    acquire,
    countDue,
    countWaiting,
    enqueue,
    enqueueMissing,
    enqueueNext,
    finish,
    hasten,
    progressed,
    promote,
    promotedAtOnce,
    takeOver,
    rowsAtOnce
  }
}
