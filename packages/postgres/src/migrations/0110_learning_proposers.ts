// Who proposed a learning without an owner, until it is approved. The number of those of each user is limited.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_learnings add column proposed_by text collate "C"`
  yield* sql`create index svc_learnings_by_proposer on svc_learnings (proposed_by) where proposed_by is not null`
})
