// The jobs of ended runs, as a part of the statement that stores the ends.
import type { JobsAfterRun } from "@svc/runtime/JobsAfterRun"
import { turnOf } from "./jobTurn.ts"
import { booleans, integers, json, text, textOrNull, texts } from "./rows.ts"

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

/**
 * After the sessions are locked, in one order for all statements: a unique job waits for a statement that stores
 * another one of its key. A job that is stored already, or that another one stands for, is left out.
 */
export const enqueued = (parameter: (position: number) => string): string =>
  `enqueued as (
  insert into svc_jobs (
    id, kind, key, pending_key, status, payload, max_attempts, user_id, session_id, is_due, turn, run_at
  )
  select
    n.id, n.kind, n.key, case when n.is_unique then n.key end, 'PENDING', n.payload, n.max_attempts, n.user_id,
    n.session_id, n.run_at is null or to_timestamp(n.run_at::float8) <= now(), ${turnOf("n.kind", "n.key")},
    coalesce(to_timestamp(n.run_at::float8), now())
  from ended join unnest(
    ${parameter(1)}::integer[], ${parameter(2)}::text[], ${parameter(3)}::text[], ${parameter(4)}::text[],
    ${parameter(5)}::boolean[], ${parameter(6)}::json[], ${parameter(7)}::integer[], ${parameter(8)}::text[],
    ${parameter(9)}::text[], ${parameter(10)}::text[]
  ) as n (place, id, kind, key, is_unique, payload, max_attempts, user_id, session_id, run_at) on n.place = ended.place
  where (select count(*) from added) >= 0
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
    texts(jobs.map(({ run_at }) => run_at === undefined ? null : String(run_at)))
  ]
}
