// What runs wait for. `kept_with` is the session when it is in this database, and takes the approval with it when it
// goes.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_approvals (
      id text collate "C" primary key,
      seq bigint generated always as identity,
      run_id text collate "C" not null,
      session_id text collate "C" not null,
      kept_with text collate "C" references svc_sessions on delete cascade,
      status text not null check (status in ('pending', 'approved', 'rejected', 'expired', 'cancelled')),
      source_type text not null check (source_type in ('agent', 'team', 'workflow')),
      approval_type text not null check (approval_type in ('required', 'audit')),
      pause_type text not null check (pause_type in ('confirmation', 'user_input', 'external_execution')),
      tool_name text,
      tool_args json,
      expires_at bigint,
      agent_id text collate "C",
      team_id text collate "C",
      workflow_id text collate "C",
      user_id text collate "C",
      schedule_id text collate "C",
      schedule_run_id text collate "C",
      source_name text,
      requirements json,
      context json,
      resolution_data json,
      resolved_by text,
      resolved_at bigint,
      created_at bigint not null,
      updated_at bigint not null,
      run_status text
    )`
  yield* sql`create index svc_approvals_by_age on svc_approvals (created_at desc, seq desc)`
  yield* sql`create index svc_approvals_by_user on svc_approvals (user_id, created_at desc, seq desc)`
  yield* sql`create index svc_approvals_pending on svc_approvals (created_at desc, seq desc) where status = 'pending'`
  yield* sql`create index svc_approvals_by_run on svc_approvals (run_id, seq)`
  yield* sql`create index svc_approvals_by_session on svc_approvals (kept_with)`
})
