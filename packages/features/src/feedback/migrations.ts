// Feedback on runs. `owner_id` is the user of the session when it was given.
import { migrationSet } from "@svc-runtime/postgres/sql/MigrationSet"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_feedback (
      id text collate "C" primary key,
      seq bigint generated always as identity unique,
      run_id text collate "C" not null references svc_runs (run_id) on delete cascade,
      session_id text collate "C" not null,
      kind text collate "C" not null check (kind in ('agent', 'team', 'workflow')),
      component_id text collate "C" not null,
      owner_id text collate "C",
      user_id text collate "C",
      source text collate "C" not null check (source in ('user', 'scorer')),
      key text collate "C" not null,
      score json not null,
      comment text,
      created_at bigint not null check (created_at between 0 and 253402300799),
      updated_at bigint not null check (updated_at between 0 and 253402300799)
    )`
  yield* sql`
    create unique index svc_feedback_by_run on svc_feedback (run_id, key, source, (coalesce(user_id, '')))`
  yield* sql`create index svc_feedback_by_owner on svc_feedback (owner_id, seq)`
  yield* sql`create index svc_feedback_by_user on svc_feedback (user_id) where user_id is not null`
  yield* sql`create index svc_feedback_by_session on svc_feedback (session_id, seq)`
  yield* sql`create index svc_feedback_by_component on svc_feedback (component_id, seq)`
  yield* sql`create index svc_feedback_scored on svc_feedback (created_at) where source = 'scorer'`
})

export const feedback = migrationSet("feedback", [["tables", tables]])
