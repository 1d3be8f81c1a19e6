// The contents that are processed are few: looking for those without a job must not read the others.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default SqlClient.SqlClient.use((sql) =>
  Effect.asVoid(sql`create index svc_contents_processed on svc_contents (updated_at) where status = 'processing'`)
)
