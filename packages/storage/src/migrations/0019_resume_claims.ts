// The idempotency claims under which a run was resumed, written by the statement that resumes it.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_runs add column resume_claims text[] not null default '{}'`
})
