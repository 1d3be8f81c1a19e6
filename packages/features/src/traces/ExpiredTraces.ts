// Removes traces in pieces: after `TRACE_RETENTION`, and those of removed sessions and users.
import type { ExpirySteps } from "@svc-runtime/postgres/sql/Expiry"
import { Duration } from "effect"
import type { SqlClient } from "effect/sql"
import * as StalePacks from "./StalePacks.ts"
import type { TraceSettings } from "./TraceSettings.ts"
import { isRemovedFor } from "./TraceStatements.ts"

/** Of one statement. */
const maxTraces = 100
const maxRemovals = 1000

/** How long spans are refused that began before a removal: no node keeps them for longer before it writes them. */
const removalSeconds = 86_400

export const make = (sql: SqlClient.SqlClient) => {
  /** Microseconds since 1970. */
  const before = (seconds: number) => sql`(extract(epoch from now())::bigint - ${seconds}::bigint) * 1000000`

  const traces = (seconds: number) =>
    sql`
      with gone as (
        delete from svc_traces where ctid = any(array(
          select ctid from svc_traces where end_time <= ${before(seconds)}
          order by end_time limit ${maxTraces} for update skip locked
        )) returning 1
      )
      select count(*)::int as count from gone`

  // Traces of removals that were interrupted, or that were written meanwhile. A removal without traces for some time is
  // applied, and is forgotten when no node can have spans that it refuses.
  const traceRemovals = (seconds: number) =>
    sql`
      with removals as materialized (
        select * from svc_trace_removals where not is_applied order by removed_at limit ${maxRemovals}
      ), found as materialized (
        (select t.trace_id, t.owner from removals r join svc_traces t
          on t.session_id = r.session_id and t.start_time <= r.removed_at
          where r.session_id <> '' and ${sql.literal(isRemovedFor("t.user_id"))}
            and (r.database = '' or coalesce(t.database, r.database) = r.database)
            and exists (
              select from svc_spans s where s.trace_id = t.trace_id and s.owner = t.owner
                and s.session_id = r.session_id and s.started_at <= r.removed_at
            ) limit ${maxTraces})
        union all
        (select t.trace_id, t.owner from removals r
          join svc_spans s on s.is_root and s.session_id = r.session_id and s.started_at <= r.removed_at
          join svc_traces t on t.trace_id = s.trace_id and t.owner = s.owner
          where r.session_id <> '' and ${sql.literal(isRemovedFor("t.user_id"))}
            and (r.database = '' or coalesce(s.database, r.database) = r.database) limit ${maxTraces})
        union all
        (select t.trace_id, t.owner from removals r join svc_traces t
          on t.user_id = r.user_id and t.start_time <= r.removed_at
          where r.session_id = '' and r.has_user limit ${maxTraces})
      ), gone as (
        delete from svc_traces where ctid = any(array(
          select t.ctid from svc_traces t join (select distinct * from found) f using (trace_id, owner)
          for update of t skip locked
        )) returning 1
      ), applied as (
        update svc_trace_removals set is_applied = true where ctid = any(array(
          select a.ctid from svc_trace_removals a join removals r using (session_id, user_id, has_user, database)
          where a.removed_at = r.removed_at and r.removed_at <= ${before(seconds)} and not exists (select from found)
          for update of a skip locked
        )) returning 1
      ), forgotten as (
        delete from svc_trace_removals where ctid = any(array(
          select ctid from svc_trace_removals
          where is_applied and removed_at <= ${before(removalSeconds)} limit ${maxRemovals}
          for update skip locked
        )) returning 1
      )
      select (select count(*)::int from gone) + (select count(*)::int from applied) +
        (select count(*)::int from forgotten) as count`

  return { traces, traceRemovals }
}

/** The steps of the retention. At the end stale packs are rewritten, because the pieces before remove most of them. */
export const expiry: ExpirySteps<TraceSettings> = {
  traces: { prune: (sql) => make(sql).traces, age: ({ retention }) => retention, removed: "trace(s) removed" },
  traceRemovals: {
    prune: (sql) => make(sql).traceRemovals,
    after: StalePacks.make,
    // a removal without traces since then is complete
    age: () => Duration.minutes(10),
    removed: "trace(s) of removed sessions and users, and completed removals, removed"
  }
}
