// Background tasks of sessions.
import { migrationSet } from "@svc-runtime/postgres/sql/MigrationSet"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_background_tasks (
      id text collate "C" primary key,
      seq bigint generated always as identity unique,
      key text collate "C" not null unique,
      session_id text collate "C" not null references svc_sessions (session_id) on delete cascade,
      user_id text collate "C",
      parent_run_id text collate "C" not null,
      parent_kind text collate "C" not null check (parent_kind in ('agent', 'team', 'workflow')),
      parent_id text collate "C" not null,
      tool_name text not null,
      component_kind text collate "C" not null check (component_kind in ('agent', 'team', 'workflow')),
      component_id text collate "C" not null,
      run_id text collate "C" not null,
      run_session_id text collate "C" not null,
      result_run_id text collate "C" not null,
      input json not null,
      inherited json not null,
      wake boolean not null,
      timeout_seconds integer check (timeout_seconds between 1 and 2147483646),
      is_detached boolean not null,
      status text collate "C" not null
        check (status in ('PENDING', 'RUNNING', 'PAUSED', 'COMPLETED', 'ERROR', 'CANCELLED')),
      is_cancel_requested boolean not null default false,
      is_delivered boolean not null default false,
      result json,
      created_at bigint not null check (created_at between 0 and 253402300799),
      ended_at bigint check (ended_at between 0 and 253402300799)
    )`
  yield* sql`create index svc_background_tasks_by_session on svc_background_tasks (session_id, seq)`
  yield* sql`
    create index svc_background_tasks_unfinished on svc_background_tasks (session_id) where ended_at is null`
  yield* sql`
    create index svc_background_tasks_by_run on svc_background_tasks (parent_run_id) where ended_at is null`
  yield* sql`
    create index svc_background_tasks_by_user on svc_background_tasks (user_id) where ended_at is null`
})

export const backgroundTasks = migrationSet("backgroundTasks", [["tables", tables]])
