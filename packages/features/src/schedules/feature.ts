// Schedules, which send requests to the service or start runs at their times. They are in its own database.
import { Effect, Layer } from "effect"
import * as Feature from "../Feature.ts"
import * as ExpiredRuns from "./ExpiredRuns.ts"
import { schedules as migrations } from "./migrations.ts"
import * as ScheduleJob from "./ScheduleJob.ts"
import * as Scheduler from "./Scheduler.ts"
import { ScheduleRunStore } from "./ScheduleRunStore.ts"
import * as Endpoints from "./SchedulesApi.ts"
import { Schedules } from "./SchedulesHandlers.ts"
import { ScheduleStore } from "./ScheduleStore.ts"
import * as ScheduleTarget from "./ScheduleTarget.ts"
import { type ScheduleLimits, scheduleSettings, Scheduling } from "./Scheduling.ts"
import * as SqlScheduleRunStore from "./SqlScheduleRunStore.ts"
import * as SqlScheduleStore from "./SqlScheduleStore.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly scheduleRuns: typeof ScheduleRunStore
    readonly schedules: typeof ScheduleStore
  }
}

export const schedules = Feature.make({
  name: "schedules",
  stores: {
    services: { scheduleRuns: ScheduleRunStore, schedules: ScheduleStore },
    layer: Layer.mergeAll(SqlScheduleRunStore.layer, SqlScheduleStore.layer)
  },
  migrations,
  expiry: {
    scheduleRuns: {
      prune: ExpiredRuns.make,
      age: ({ scheduleRuns }) => scheduleRuns,
      removed: "run(s) of schedules removed"
    }
  },
  groups: [Endpoints.Schedules],
  handlers: Schedules,
  settings: scheduleSettings,
  service: (limits: ScheduleLimits) => Scheduling.layer(limits),
  workers: ({ isEnabled }, { isOwn }) => isOwn && isEnabled ? Scheduler.layer : Layer.empty,
  jobs: (_, { isOwn }) => isOwn ? ScheduleJob.kinds : Effect.succeed([]),
  requests: () => ScheduleTarget.layer
})
