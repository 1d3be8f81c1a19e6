// What the feature does in a service that has it.
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import * as Feature from "../Feature.ts"
import * as DeclaredSchedules from "./DeclaredSchedules.ts"
import * as ScheduleJob from "./ScheduleJob.ts"
import * as Scheduler from "./Scheduler.ts"
import { Schedules } from "./SchedulesHandlers.ts"
import { ScheduleStore } from "./ScheduleStore.ts"
import * as ScheduleTarget from "./ScheduleTarget.ts"
import { type ScheduleLimits, Scheduling } from "./Scheduling.ts"
import * as SqlScheduleRunStore from "./SqlScheduleRunStore.ts"
import * as SqlScheduleStore from "./SqlScheduleStore.ts"

/** The maximum number of rows that one statement removes. */
const maxRows = 500

/** Removes ended runs of schedules, after `SCHEDULE_RUN_RETENTION`. */
const removeExpired = (sql: SqlClient.SqlClient) => (seconds: number) =>
  sql`
    with gone as (
      delete from svc_schedule_runs where id = any(array(
        select id from svc_schedule_runs
        where status <> 'running' and completed_at <= extract(epoch from now())::bigint - ${seconds}::bigint
        order by completed_at limit ${maxRows} for update skip locked
      )) returning 1
    )
    select count(*)::int as count from gone`

export const live = Feature.live({
  stores: Layer.mergeAll(SqlScheduleRunStore.layer, SqlScheduleStore.layer),
  expiry: {
    scheduleRuns: {
      prune: removeExpired,
      age: ({ retention }) => retention,
      removed: "run(s) of schedules removed"
    }
  },
  handlers: Schedules,
  service: (limits: ScheduleLimits) => Scheduling.layer(limits),
  workers: ({ isEnabled }, { isGuest, isOwn }) => isOwn && isEnabled && !isGuest ? Scheduler.layer : Layer.empty,
  jobs: (_, { isOwn }) => isOwn ? ScheduleJob.kinds : Effect.succeed([]),
  declares: (_, { schedules = [] }) => DeclaredSchedules.kind(schedules),
  requests: () => ScheduleTarget.layer,
  endsWithAccount: () =>
    Effect.map(ScheduleStore, ({ disableAll }) => ({
      what: "schedule(s) disabled",
      end: ({ user_id, ...because }) => disableAll(user_id, because)
    }))
})
