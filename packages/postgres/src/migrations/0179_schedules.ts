// Schedules, and the record of each attempt. `slot` is the time for which a run was due; one that was triggered by hand
// has none.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_schedules (
      id text collate "C" primary key,
      seq bigint generated always as identity unique,
      name text collate "C" not null unique,
      description text,
      method text collate "C" not null,
      endpoint text not null,
      payload json,
      cron_expr text not null,
      timezone text not null,
      timeout_seconds integer not null check (timeout_seconds between 1 and 86400),
      max_retries integer not null check (max_retries between 0 and 10),
      retry_delay_seconds integer not null check (retry_delay_seconds between 1 and 3600),
      enabled boolean not null,
      next_run_at bigint check (next_run_at between 0 and 253402300799),
      created_at bigint not null check (created_at between 0 and 253402300799),
      updated_at bigint check (updated_at between 0 and 253402300799)
    )`
  yield* sql`create index svc_schedules_next on svc_schedules (next_run_at) where enabled`
  yield* sql`create index svc_schedules_by_state on svc_schedules (enabled, seq)`
  yield* sql`
    create table svc_schedule_runs (
      id text collate "C" primary key,
      seq bigint generated always as identity unique,
      schedule_id text collate "C" not null references svc_schedules (id) on delete cascade,
      slot bigint check (slot between 0 and 253402300799),
      attempt integer not null check (attempt between 1 and 11),
      triggered_at bigint check (triggered_at between 0 and 253402300799),
      completed_at bigint check (completed_at between 0 and 253402300799),
      status text collate "C" not null check (status in ('running', 'success', 'failed', 'paused', 'cancelled')),
      status_code integer,
      run_id text collate "C",
      session_id text collate "C",
      error text,
      input json,
      output json,
      requirements json,
      created_at bigint not null check (created_at between 0 and 253402300799)
    )`
  yield* sql`
    create unique index svc_schedule_runs_slot on svc_schedule_runs (schedule_id, slot, attempt) where slot is not null`
  yield* sql`create index svc_schedule_runs_by_schedule on svc_schedule_runs (schedule_id, seq)`
})
