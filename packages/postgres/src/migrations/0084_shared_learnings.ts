// Learnings without an owner in the order of their last change. An index on all owners is not in this order for null.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index svc_learnings_shared on svc_learnings (updated_at, seq) where user_id is null`
  yield* sql`
    create index svc_learnings_shared_in_scope on svc_learnings (namespace, updated_at, seq)
    where user_id is null and not is_proposed`
})
