// What the statement that resumes a run writes: the idempotency claim of the request, and how many entries the journal
// had.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    alter table svc_runs
      add column resume_claims text[] not null default '{}',
      add column resumed_at integer`
})
