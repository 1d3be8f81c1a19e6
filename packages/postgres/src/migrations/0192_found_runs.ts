// Root runs of a component in the order of their last change. The condition is spelled as no other statement spells it:
// without statistics the planner would prefer this index where the root runs of a session are read.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql`
    create index svc_runs_by_change on svc_runs (component_id, updated_at desc, seq desc)
    where coalesce(parent_run_id, '') = ''`
)
