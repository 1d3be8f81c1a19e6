// The removal of ended runs of schedules, after `SCHEDULE_RUN_RETENTION`.
import type { SqlClient } from "effect/sql"

/** The maximum number of rows that one statement removes. */
const maxRows = 500

export const make = (sql: SqlClient.SqlClient) => (seconds: number) =>
  sql`
    with gone as (
      delete from svc_schedule_runs where id = any(array(
        select id from svc_schedule_runs
        where status <> 'running' and completed_at <= extract(epoch from now())::bigint - ${seconds}::bigint
        order by completed_at limit ${maxRows} for update skip locked
      )) returning 1
    )
    select count(*)::int as count from gone`
