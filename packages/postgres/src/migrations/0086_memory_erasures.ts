// The last run that was stored before the memory of a user was removed. It and the runs before it store no memories.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_memory_settings add column erased_run bigint not null default 0`
})
