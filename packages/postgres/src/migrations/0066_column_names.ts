// Columns get the names that the code uses. `history_runs` is how many earlier runs a run is shown, and
// `history_bytes` the size of its own messages in later histories. `resume_pending` has replaced `is_untold`.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_runs rename column takes_turns to is_serialized`
  yield* sql`alter table svc_runs rename column remembered to history_runs`
  yield* sql`alter table svc_runs rename column told_bytes to history_bytes`
  yield* sql`alter index svc_runs_turn rename to svc_runs_running_serialized`
  yield* sql`drop trigger svc_approvals_resume_pending on svc_approvals`
  yield* sql`drop function svc_keep_resume_pending()`
  yield* sql`alter table svc_approvals drop column is_untold`
})
