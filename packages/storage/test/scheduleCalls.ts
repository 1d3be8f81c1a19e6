// Calls of the store of schedules, for the tests of plans and of faults.
import * as Schedule from "@svc/domain/Schedule"
import { ScheduleStore } from "@svc/runtime/schedule/ScheduleStore"
import { schedule } from "@svc/testing/suites/ScheduleStoreSuite"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** One in a hundred is disabled. */
export const fillSchedules = Effect.fnUntraced(function*(rows: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_schedules (
      id, name, method, endpoint, cron_expr, timezone, timeout_seconds, max_retries, retry_delay_seconds, enabled,
      next_run_at, created_at
    )
    select 'schedule-' || number, 'name-' || number, 'POST', '/', '* * * * *', 'UTC', 1, 0, 1, number % 100 > 0,
      4000000000, 1
    from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_schedule_runs (id, schedule_id, slot, attempt, status, created_at)
    select 'schedule-run-' || number, 'schedule-' || number, 1, 1, 'success', 1
    from generate_series(1, ${rows}::int) as number`
})

export const scheduleCalls = Effect.gen(function*() {
  const schedules = yield* ScheduleStore
  const one = schedule()
  const page = { page: 1, limit: 1 }
  return {
    "schedules.create": schedules.create(one),
    "schedules.find": schedules.find(one.id),
    "schedules.list, disabled": schedules.list({ enabled: false }, page),
    "schedules.change": schedules.change(one.id, Effect.succeed),
    "schedules.runs": schedules.runs(one.id, page),
    "schedules.findRun": schedules.findRun(one.id, Schedule.RunId.make("schedule-run-1")),
    "schedules.remove": schedules.remove(one.id)
  }
})
