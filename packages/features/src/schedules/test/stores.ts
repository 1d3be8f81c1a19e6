// The stores of schedules, for the tests that call all stores.
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import type { CheckedStores } from "@svc-runtime/test-support/stores/CheckedStores"
import { newId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Schedule from "../Schedule.ts"
import { ScheduleRunStore } from "../ScheduleRunStore.ts"
import { ScheduleStore } from "../ScheduleStore.ts"
import { ending, firingOf, slotAt } from "./ScheduleRunStoreSuite.ts"
import { maxSchedules, schedule } from "./ScheduleStoreSuite.ts"

/** One in a hundred is disabled. */
export const fill = Effect.fnUntraced(function*(rows: number) {
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
    insert into svc_schedule_runs (id, first_id, schedule_id, slot, attempt, status, created_at)
    select 'schedule-run-' || number, 'schedule-run-' || number, 'schedule-' || number, 1, 1,
      case number % 100 when 0 then 'running' else 'success' end, 1
    from generate_series(1, ${rows}::int) as number`
})

const calls = Effect.gen(function*() {
  const [schedules, runs] = [yield* ScheduleStore, yield* ScheduleRunStore]
  const run = Schedule.RunId.make("schedule-run-1")
  const one = schedule()
  const page = { page: 1, limit: 1 }
  return {
    "schedules.now": schedules.now,
    "schedules.create": schedules.create(one, maxSchedules),
    "schedules.find": schedules.find(one.id),
    "schedules.list, disabled": schedules.list({ enabled: false }, page),
    "schedules.change": schedules.change(one.id, Effect.succeed),
    "schedules.disableAll": schedules.disableAll(userId(), { at: 1, reason: "It was revoked" }),
    "schedules.runs": schedules.runs(one.id, page),
    "schedules.findRun": schedules.findRun(one.id, run),
    "scheduleRuns.nextDue": runs.nextDue(10),
    "scheduleRuns.fire": runs.fire([firingOf(one, [slotAt(1)])]),
    "scheduleRuns.trigger": runs.trigger(one, Schedule.RunId.make(newId("run"))),
    "scheduleRuns.begin": runs.begin(run),
    "scheduleRuns.note": runs.note(run, { run_id: Run.Id.make("r"), session_id: Session.Id.make("s") }),
    "scheduleRuns.finish": runs.finish(run, ending()),
    "scheduleRuns.isRunning": runs.isRunning(run),
    "scheduleRuns.last": runs.last(run),
    "scheduleRuns.orphaned": runs.orphaned(),
    "schedules.remove": schedules.remove(one.id)
  }
})

export const stores: CheckedStores = {
  history: { schedules: ["tables", "begun", "author"] },
  tables: ["svc_schedule_runs", "svc_schedules"],
  calls,
  ofOneRow: ["scheduleRuns.begin", "scheduleRuns.last", "schedules.find", "schedules.findRun", "schedules.change"],
  fill,
  unbounded: {
    "schedules.disableAll": "reads the enabled schedules, of which there are at most MAX_SCHEDULES, and unfinished runs"
  }
}
