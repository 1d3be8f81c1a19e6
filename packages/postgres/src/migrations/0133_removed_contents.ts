// Removals of all contents of an instance, or of all of a user: nothing of them is visible from the moment their row is
// stored, and the contents are removed in pieces. Contents that are uploaded afterwards have a higher number.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default SqlClient.SqlClient.use((sql) =>
  Effect.asVoid(sql`
    create table svc_content_removals (
      last_seq bigint primary key,
      instance text collate "C" not null,
      user_id text collate "C",
      removed_at bigint not null
    )`)
)
