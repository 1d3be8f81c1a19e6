// That somebody wants a run to end. Whoever executes the run looks for it, on whichever node that is.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_runs add column cancel_requested boolean not null default false`
})
