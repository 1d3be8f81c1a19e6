// Retention counts from the end of an evaluation. One without `ended_at` was ended by an older version: its last change
// counts.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    alter table svc_eval_runs add column ended_at bigint check (ended_at between 0 and 253402300799)`
  yield* sql`drop index svc_eval_runs_ended`
  yield* sql`
    create index svc_eval_runs_ended on svc_eval_runs ((coalesce(ended_at, updated_at)))
    where status not in ('PENDING', 'RUNNING')`
})
