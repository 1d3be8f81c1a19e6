/**
 * The turn of a job that becomes due: behind the others of its key and of its caller, and not before the job that is
 * next now. A key or a caller with one job is therefore served before the second one of a key or a caller with many.
 */
export const turnOf = (kind: string, key: string, caller: string): string =>
  `greatest(
      coalesce((
        select d.turn from svc_jobs d where d.kind = ${kind} and d.status = 'PENDING' and d.is_due
        order by d.turn, d.seq limit 1
      ), 0),
      coalesce((
        select d.turn + 1 from svc_jobs d
        where d.kind = ${kind} and d.key = ${key} and d.status = 'PENDING' and d.is_due
        order by d.turn desc, d.seq desc limit 1
      ), 0),
      coalesce((
        select d.turn + 1 from svc_jobs d
        where d.kind = ${kind} and d.caller = ${caller} and d.status = 'PENDING' and d.is_due
        order by d.turn desc, d.seq desc limit 1
      ), 0)
    )`

/** Stores new jobs `n`, which a `from` follows with. Without `run_at` a job is due at once. */
export const insertJobs = `insert into svc_jobs (
    id, kind, key, pending_key, status, payload, max_attempts, user_id, caller, session_id, is_due, turn, run_at,
    trace
  )
  select
    n.id, n.kind, n.key, case when n.is_unique then n.key end, 'PENDING', n.payload, n.max_attempts, n.user_id,
    n.caller, n.session_id, n.run_at is null or to_timestamp(n.run_at::float8) <= now(), ${
  turnOf("n.kind", "n.key", "n.caller")
},
    coalesce(to_timestamp(n.run_at::float8), now()), n.trace`
