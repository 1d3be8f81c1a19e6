// An index of PostgreSQL takes keys of 2,700 bytes, and a session name may be longer: its first characters are enough
// to sort by.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`drop index if exists svc_sessions_by_name`
  yield* sql`create index svc_sessions_by_name on svc_sessions ((left(session_name, 512)) collate "C", seq)`
})
