// A cancel request for a run. The node that executes the run polls for it.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_runs add column cancel_requested boolean not null default false`
})
