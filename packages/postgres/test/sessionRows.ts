// The tables with rows of a session, and such rows in tables whose stores are not part of the test.
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

interface Subject {
  readonly run_id: Run.Id
  readonly session_id: Session.Id
}

export const writeSessionRows = Effect.fnUntraced(function*({ run_id, session_id }: Subject) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into svc_memories (memory_id, memory, user_id, session_id, created_at, updated_at)
    values ('m', 'Likes tea', 'alice', ${session_id}, 1, 1)`
  yield* sql`insert into svc_memory_keys (key, user_id, session_id) values ('k', 'alice', ${session_id})`
  yield* sql`insert into svc_learning_keys (key, session_id) values ('k', ${session_id})`
  yield* sql`insert into svc_learnings
    (learning_id, learning_type, user_id, session_id, content, created_at, updated_at)
    values ('c', 'session_context', 'alice', ${session_id}, '{}', 1, 1),
      ('u', 'user_profile', 'alice', ${session_id}, '{}', 1, 1)`
  yield* sql`insert into svc_task_pushes (run_id, id, session_id, version, url, created_at)
    values (${run_id}, 'p', ${session_id}, '1.0', 'https://a.example', 1)`
  yield* sql`insert into svc_media (session_id, hash, part, mime_type, size, body)
    values (${session_id}, 'h', 0, 'image/png', 1, ${new Uint8Array([1])})`
  yield* sql`insert into svc_feedback
    (id, run_id, session_id, kind, component_id, source, key, score, created_at, updated_at)
    values ('f', ${run_id}, ${session_id}, 'agent', 'assistant', 'user', 'helpful', 'true', 1, 1)`
  yield* sql`insert into svc_schedules
    (id, name, method, endpoint, cron_expr, timezone, timeout_seconds, max_retries, retry_delay_seconds, enabled,
      created_at)
    values ('s', 'Report', 'POST', '/agents/assistant/runs', '@daily', 'UTC', 60, 0, 60, false, 1)`
  yield* sql`insert into svc_schedule_runs
    (id, schedule_id, attempt, status, run_id, session_id, error, input, output, requirements, created_at)
    values ('r', 's', 1, 'success', ${run_id}, ${session_id}, 'Hi', '{}', '{}', '[]', 1)`
  yield* sql`insert into svc_webhook_deliveries
    (id, webhook_id, event_id, event, session_id, payload, bytes, status, job_id, created_at)
    values ('d', 'w', 'e', 'run.paused', ${session_id}, '{}', 512, 'succeeded', 'j', 1)`
  yield* sql`insert into svc_workspaces (session_id, revision, updated_at) values (${session_id}, 1, 1)`
  yield* sql`insert into svc_workspace_files (session_id, path, hash, size, executable, updated_at, content)
    values (${session_id}, 'a', 'h', 1, false, 1, ${new Uint8Array([1])})`
  yield* sql`insert into svc_background_tasks
    (id, key, session_id, user_id, parent_run_id, parent_kind, parent_id, tool_name, component_kind, component_id,
      run_id, run_session_id, result_run_id, input, inherited, wake, is_detached, status, created_at, ended_at)
    values ('t', 'k', ${session_id}, 'alice', ${run_id}, 'agent', 'a', 'b', 'agent', 'b', 'i', 'is', 'r', '"tea"',
      '{"options":{},"depth":1}', true, false, 'RUNNING', 1, null)`
  yield* sql`insert into svc_channel_events
    (channel, event_id, thread, sender, event, run_id, session_id, received_at, handled_at)
    values ('slack', 'e', 't', 'U1', null, ${run_id}, ${session_id}, 1, 1)`
  yield* sql`insert into svc_channel_sessions
    (channel, thread, user_id, session_id, sender, place, is_direct, updated_at)
    values ('slack', 't', 'alice', ${session_id}, 'U1', '{}', true, 1)`
})

/** By their columns. */
export const sessionTables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const columns = yield* sql<{ readonly table: string }>`
    select distinct c.table_name as table from information_schema.columns c
    join pg_tables t on t.tablename = c.table_name and t.schemaname = c.table_schema
    where c.table_schema = 'public' and c.column_name in ('session_id', 'run_id', 'run_seq', 'kept_with')`
  return columns.map(({ table }) => table)
})
