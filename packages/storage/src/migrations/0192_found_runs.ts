// Root runs of a component in the order of their last change.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql`
    create index svc_runs_by_change on svc_runs (component_id, updated_at desc, seq desc)
    where parent_run_id is null`
)
