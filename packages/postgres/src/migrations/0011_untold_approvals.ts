// Approvals that are resolved and whose runs must still be resumed. There are few at a time, and the index has no
// others.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_approvals add column is_untold boolean not null default false`
  yield* sql`create index svc_approvals_untold on svc_approvals (id) where is_untold`
})
