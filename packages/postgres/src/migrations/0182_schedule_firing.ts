// What schedules need to be executed: their policies, their failures, and the first attempt of each run.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    alter table svc_schedules
      add column catch_up text collate "C" not null default 'one' check (catch_up in ('skip', 'one', 'all')),
      add column catch_up_window_seconds integer not null default 31536000
        check (catch_up_window_seconds between 1 and 31536000),
      add column overlap text collate "C" not null default 'skip'
        check (overlap in ('allow', 'skip', 'queue', 'cancel')),
      add column jitter_seconds integer not null default 0 check (jitter_seconds between 0 and 3600),
      add column consecutive_failures integer not null default 0 check (consecutive_failures >= 0),
      add column paused_reason text`
  yield* sql`alter table svc_schedule_runs add column first_id text collate "C"`
  yield* sql`create unique index svc_schedule_runs_attempts on svc_schedule_runs (first_id, attempt)`
  yield* sql`
    create index svc_schedule_runs_unfinished on svc_schedule_runs (schedule_id, created_at) where status = 'running'`
  yield* sql`create index svc_schedule_runs_ended on svc_schedule_runs (completed_at) where status <> 'running'`
})
