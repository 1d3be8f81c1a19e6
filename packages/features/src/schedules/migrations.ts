// Schedules, and the record of each attempt.
import { migrationSet } from "@svc-runtime/postgres/sql/MigrationSet"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = Effect.gen(function*() {
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
      updated_at bigint check (updated_at between 0 and 253402300799),
      catch_up text collate "C" not null default 'one' check (catch_up in ('skip', 'one', 'all')),
      catch_up_window_seconds integer not null default 31536000
        check (catch_up_window_seconds between 1 and 31536000),
      overlap text collate "C" not null default 'skip'
        check (overlap in ('allow', 'skip', 'queue', 'cancel')),
      jitter_seconds integer not null default 0 check (jitter_seconds between 0 and 3600),
      consecutive_failures integer not null default 0 check (consecutive_failures >= 0),
      paused_reason text,
      user_id text collate "C"
    )`
  yield* sql`create index svc_schedules_by_user on svc_schedules (user_id) where user_id is not null`
  yield* sql`create index svc_schedules_next on svc_schedules (next_run_at) where enabled`
  yield* sql`create index svc_schedules_by_state on svc_schedules (enabled, seq)`

  // Attempts. `slot` is the time for which a run was due, and `first_id` its first attempt. A run that was triggered by hand has
  // no slot.
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
      created_at bigint not null check (created_at between 0 and 253402300799),
      first_id text collate "C"
    )`
  yield* sql`
    create unique index svc_schedule_runs_slot on svc_schedule_runs (schedule_id, slot, attempt) where slot is not null`
  yield* sql`create index svc_schedule_runs_by_schedule on svc_schedule_runs (schedule_id, seq)`
  yield* sql`create unique index svc_schedule_runs_attempts on svc_schedule_runs (first_id, attempt)`
  yield* sql`
    create index svc_schedule_runs_unfinished on svc_schedule_runs (schedule_id, created_at) where status = 'running'`
  yield* sql`create index svc_schedule_runs_ended on svc_schedule_runs (completed_at) where status <> 'running'`

  // A session that is removed takes its texts out of the runs of schedules, whose history stays.
  yield* sql`
    create index svc_schedule_runs_by_session on svc_schedule_runs (session_id) where session_id is not null`
  yield* sql`
    create function svc_clear_schedule_runs() returns trigger language plpgsql as $$
    begin
      update svc_schedule_runs r
      set run_id = null, session_id = null, error = null, input = null, output = null, requirements = null
      from gone where r.session_id = gone.session_id;
      return null;
    end $$`
  yield* sql`
    create trigger svc_sessions_removed after delete on svc_sessions
    referencing old table as gone for each statement execute function svc_clear_schedule_runs()`

  // Webhooks can want the failure of a last attempt. The trigger is executed at the end of the statement that ends the
  // attempt: it sees the next attempt, and whether the schedule is disabled.
  yield* sql`
    create function svc_announce_schedule_run() returns trigger language plpgsql as $$
    begin
      if exists (select from svc_schedule_runs n where n.first_id = new.first_id and n.attempt > new.attempt) then
        return null;
      end if;
      perform svc_announce(
        'schedule.failed', null, null, null, new.session_id,
        json_build_object(
          'schedule_id', new.schedule_id, 'name', s.name, 'schedule_run_id', new.id, 'run_id', new.run_id,
          'session_id', new.session_id, 'status', new.status, 'error', left(new.error, 1000), 'attempts', new.attempt,
          'disabled', not s.enabled and s.paused_reason is not null
        )
      )
      from svc_schedules s where s.id = new.schedule_id;
      return null;
    end $$`
  yield* sql`
    create trigger svc_schedule_runs_announced after update of status on svc_schedule_runs for each row
    when (old.status = 'running' and new.status = 'failed') execute function svc_announce_schedule_run()`
})

/** What an attempt that has begun does, until it ends. */
const begun = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_schedule_runs add column begun json`
})

/** For whom a schedule acts, and a run of it that another caller has triggered. */
const author = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_schedules add column author text collate "C"`
  yield* sql`alter table svc_schedule_runs add column author text collate "C"`
})

export const schedules = migrationSet("schedules", [["tables", tables], ["begun", begun], ["author", author]])
