// The lists of learnings in the order of their last change, by each field that many rows can have, and those that are
// proposed; and all in the order of their creation. `seq` finds the rows of a page.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create unique index svc_learnings_seq on svc_learnings (seq)`
  yield* sql`create index svc_learnings_created on svc_learnings (created_at, seq)`
  for (const field of ["agent_id", "team_id", "namespace", "entity_id", "entity_type"]) {
    yield* sql`
      create index ${sql(`svc_learnings_listed_by_${field}`)} on svc_learnings (${sql(field)}, updated_at, seq)
      where ${sql(field)} is not null`
  }
  yield* sql`
    create index svc_learnings_shared_in_namespace on svc_learnings (namespace, updated_at, seq) where user_id is null`
  yield* sql`create index svc_learnings_proposed on svc_learnings (updated_at, seq) where is_proposed`
})
