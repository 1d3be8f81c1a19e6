// Delayed jobs are found by their key, as due and executed ones are.
//
// The indexes of holders and of delayed jobs by their time get a condition of their own that every row meets. Statistics
// from a moment without such rows make all indexes of them look equally cheap: a statement that looks for the runs of
// one session, or for the jobs of one key, would read all rows of the wrong one.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`drop index svc_runs_by_holder`
  yield* sql`create index svc_runs_by_holder on svc_runs (node, seq) where is_unfinished and node >= ''`
  yield* sql`drop index svc_jobs_delayed`
  yield* sql`create index svc_jobs_delayed on svc_jobs (run_at) where status = 'PENDING' and not is_due and id >= ''`
  yield* sql`create index svc_jobs_delayed_of_key on svc_jobs (kind, key) where status = 'PENDING' and not is_due`
})
