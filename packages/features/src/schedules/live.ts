// What the feature does in a service that has it.
import { Effect, Layer } from "effect"
import * as Feature from "../Feature.ts"
import * as DeclaredSchedules from "./DeclaredSchedules.ts"
import * as ExpiredRuns from "./ExpiredRuns.ts"
import * as ScheduleJob from "./ScheduleJob.ts"
import * as Scheduler from "./Scheduler.ts"
import { Schedules } from "./SchedulesHandlers.ts"
import * as ScheduleTarget from "./ScheduleTarget.ts"
import { type ScheduleLimits, Scheduling } from "./Scheduling.ts"
import * as SqlScheduleRunStore from "./SqlScheduleRunStore.ts"
import * as SqlScheduleStore from "./SqlScheduleStore.ts"

export const live = Feature.live({
  stores: Layer.mergeAll(SqlScheduleRunStore.layer, SqlScheduleStore.layer),
  expiry: {
    scheduleRuns: {
      prune: ExpiredRuns.make,
      age: ({ scheduleRuns }) => scheduleRuns,
      removed: "run(s) of schedules removed"
    }
  },
  handlers: Schedules,
  service: (limits: ScheduleLimits) => Scheduling.layer(limits),
  workers: ({ isEnabled }, { isGuest, isOwn }) => isOwn && isEnabled && !isGuest ? Scheduler.layer : Layer.empty,
  jobs: (_, { isOwn }) => isOwn ? ScheduleJob.kinds : Effect.succeed([]),
  declares: (_, { schedules = [] }) => DeclaredSchedules.kind(schedules),
  requests: () => ScheduleTarget.layer
})
