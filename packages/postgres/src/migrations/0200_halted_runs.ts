// Root runs of a component that failed or wait, in the order of their last change. They are few among all runs, and no
// other run is in this index. The condition is spelled as in `svc_runs_by_change`.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql`
    create index svc_runs_halted on svc_runs (component_id, status, updated_at desc, seq desc)
    where coalesce(parent_run_id, '') = '' and status in ('ERROR', 'PAUSED')`
)
