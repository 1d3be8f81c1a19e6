// Indexes that lists and loops need. Counting the sessions of an owner reads a narrow index and not the sessions, and
// the runs with a cancel request are found without the others of their node.
//
// `free_from` is when the key of an idempotency claim is free again, by the clock of the database: those of the nodes
// differ.
//
// There is none for sorting by `updated_at`: it changes with the end of every run, which would write into every index.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index svc_sessions_counted on svc_sessions (user_id, session_type)`
  yield* sql`create index svc_runs_cancelled on svc_runs (node) where is_unfinished and cancel_requested`

  yield* sql`alter table svc_idempotency add column free_from timestamptz`
  yield* sql`update svc_idempotency set free_from = to_timestamp(expires_at)`
  yield* sql`alter table svc_idempotency alter column free_from set not null`
  yield* sql`drop index svc_idempotency_by_end`
  yield* sql`create index svc_idempotency_free on svc_idempotency (free_from)`
})
