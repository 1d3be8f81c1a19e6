// The last run that was stored before what is known about a user was removed. It and the runs before it leave nothing.
import type * as Ids from "@svc-runtime/domain/Ids"
import type { SqlClient } from "effect/sql"
import { text } from "../sql/rows.ts"

export const make = (sql: SqlClient.SqlClient) => {
  /** Waits for a removal. The row has the number of the last run before it; without a removal it is 0. */
  const latest = (user_id: Ids.UserId | null, at: number) =>
    user_id === null ? sql`select 0::bigint as erased_run` : sql`
      insert into svc_memory_settings as s (user_id, is_enabled, updated_at) select ${text(user_id)}, true, ${at}
      on conflict (user_id) do update set user_id = excluded.user_id returning s.erased_run`

  /** Before something is removed: what is stored afterwards sees the number, and what was stored is removed. */
  const record = (user_id: Ids.UserId) =>
    sql`
      insert into svc_memory_settings as s (user_id, is_enabled, updated_at, erased_run)
      select ${
      text(user_id)
    }, true, extract(epoch from now())::bigint, coalesce(pg_sequence_last_value(pg_get_serial_sequence('svc_runs', 'seq')::regclass), 0)
      on conflict (user_id) do update set erased_run = greatest(s.erased_run, excluded.erased_run)`

  return { latest, record }
}
