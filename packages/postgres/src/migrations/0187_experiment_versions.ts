// The versions of a stored component with which an experiment began, and its draft.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`alter table svc_experiments add column component_versions json`
)
