// Spans are found by their trace only, so the key begins with it, and the index by trace is no longer needed.
import { lockTables } from "@svc-runtime/features/traces/lockTables"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* lockTables(sql)
  yield* sql`alter table svc_spans drop constraint svc_spans_pkey, add primary key (trace_id, owner, span_id)`
  yield* sql`drop index svc_spans_by_trace`
})
