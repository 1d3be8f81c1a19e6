// The indexes of namespaces have no owner: the namespace of a user names the user already, and a key of an index has no
// room for the longest ids twice. Proposed learnings without an owner are counted apart.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`drop index svc_learnings_in_scope`
  yield* sql`
    create index svc_learnings_in_scope on svc_learnings (namespace, is_proposed, updated_at, seq)
    where namespace is not null and user_id is not null`
  yield* sql`
    create index svc_learnings_shared_proposed on svc_learnings (namespace) where user_id is null and is_proposed`
})
