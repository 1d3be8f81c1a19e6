/**
 * The turn of a job that becomes due: behind the others of its key, and not before the job that is next now. A key with
 * one job is therefore served before the second one of a key with many.
 */
export const turnOf = (kind: string, key: string): string =>
  `greatest(
      coalesce((
        select d.turn from svc_jobs d where d.kind = ${kind} and d.status = 'PENDING' and d.is_due
        order by d.turn, d.seq limit 1
      ), 0),
      coalesce((
        select d.turn + 1 from svc_jobs d
        where d.kind = ${kind} and d.key = ${key} and d.status = 'PENDING' and d.is_due
        order by d.turn desc, d.seq desc limit 1
      ), 0)
    )`
