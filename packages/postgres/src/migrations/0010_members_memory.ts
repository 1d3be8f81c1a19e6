// What members of teams remember: of a run inside of other runs `outermost_run_id` is the one that all of them are in,
// and the index has the completed ones of each member, in the order in which they were stored.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_runs add column outermost_run_id text collate "C"`
  yield* sql`
    with recursive around (run_id, outer_id, next_id) as (
      select run_id, parent_run_id, parent_run_id from svc_runs where parent_run_id is not null
      union all
      select a.run_id, r.run_id, r.parent_run_id from around a join svc_runs r on r.run_id = a.next_id
    )
    update svc_runs r set outermost_run_id = a.outer_id from around a where a.run_id = r.run_id and a.next_id is null`
  yield* sql`
    create index svc_runs_of_members on svc_runs (session_id, component_id, seq)
    where outermost_run_id is not null and status = 'COMPLETED'`
})
