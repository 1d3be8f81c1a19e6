// Retention finds ended evaluations and experiments by their age.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create index svc_eval_runs_ended on svc_eval_runs (updated_at) where status not in ('PENDING', 'RUNNING')`
  yield* sql`
    create index svc_experiments_ended on svc_experiments (updated_at) where status not in ('PENDING', 'RUNNING')`
})
