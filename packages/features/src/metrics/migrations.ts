// The figures of days, and the days whose sessions changed after they were over.
import { migrationSet } from "@svc-runtime/postgres/sql/MigrationSet"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_day_metrics (
      day integer primary key,
      id text collate "C" not null,
      agent_runs_count bigint not null check (agent_runs_count between 0 and 9007199254740991),
      agent_sessions_count bigint not null check (agent_sessions_count between 0 and 9007199254740991),
      team_runs_count bigint not null check (team_runs_count between 0 and 9007199254740991),
      team_sessions_count bigint not null check (team_sessions_count between 0 and 9007199254740991),
      workflow_runs_count bigint not null check (workflow_runs_count between 0 and 9007199254740991),
      workflow_sessions_count bigint not null check (workflow_sessions_count between 0 and 9007199254740991),
      users_count bigint not null check (users_count between 0 and 9007199254740991),
      token_metrics json not null,
      model_metrics json not null,
      created_at bigint not null check (created_at between 0 and 253402300799),
      updated_at bigint not null check (updated_at between 0 and 253402300799)
    )`
  // from now on they are kept
  yield* sql`drop trigger svc_changed_days_unread on svc_changed_days`
  // A damaged counter is none.
  yield* sql`
    create function svc_counter(usage jsonb, counter text) returns numeric
    language sql immutable parallel safe as $$
      select case when jsonb_typeof(usage -> counter) = 'number' then greatest(0, trunc((usage -> counter)::numeric)) else 0 end
    $$`
})

export const metrics = migrationSet("metrics", [["tables", tables]])
