// `without_memory`: the caller wanted a run that leaves nothing. `origin_seq` of a copy of a run, or of one that replaces
// another: the number of the original. `passed_runs` of a session: before `summarized_run`, but not in the summary,
// because they had not completed.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    alter table svc_runs
    add column without_memory boolean not null default false,
    add column origin_seq bigint`
  yield* sql`alter table svc_sessions add column passed_runs bigint[] not null default '{}'`
})
