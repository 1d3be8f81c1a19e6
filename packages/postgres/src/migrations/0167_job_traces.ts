// The span that has enqueued a job, and traces that have spans of jobs only (`name_rank` -1).
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_jobs add column trace json`
  yield* sql`
    alter table svc_traces drop constraint svc_traces_name_rank_check,
      add constraint svc_traces_name_rank_check check (name_rank between -1 and 3)`
})
