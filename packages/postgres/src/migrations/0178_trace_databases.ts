// The database of a traced session: sessions of several databases can have one id. Without it: any, as in older rows.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  for (const table of ["svc_traces", "svc_spans"]) {
    yield* sql`alter table ${sql(table)} add column database text collate "C"`
  }
  yield* sql`
    alter table svc_trace_removals add column database text collate "C" not null default '',
      drop constraint svc_trace_removals_pkey, add primary key (session_id, user_id, has_user, database)`
})
