// When the removal of a large session began: from then on nothing of it is visible, and its data is removed in pieces. The
// index that counts sessions tells them apart.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_sessions add column removed_at bigint`
  yield* sql`create index svc_sessions_removed on svc_sessions (removed_at) where removed_at is not null`
  yield* sql`drop index svc_sessions_counted`
  // without a condition: where no statistics are collected, a session would be looked up by reading all of the index
  yield* sql`create index svc_sessions_counted on svc_sessions (user_id, session_type, removed_at)`
})
