// A removal of traces is applied once its traces are gone for some time. The retention reads the others only.
import { lockTables } from "@svc-runtime/features/traces/lockTables"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* lockTables(sql)
  yield* sql`alter table svc_trace_removals add column is_applied boolean not null default false`
  yield* sql`create index svc_trace_removals_to_apply on svc_trace_removals (removed_at) where not is_applied`
})
