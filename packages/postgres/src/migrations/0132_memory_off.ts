// The users who have switched memory off, in the order in which they are copied to other databases.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index svc_memory_settings_off on svc_memory_settings (user_id) where not is_enabled`
})
