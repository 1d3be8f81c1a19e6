// Schedules, which send requests to the service or start runs at their times. They are in its own database.
import * as Feature from "../Feature.ts"
import { schedules as migrations } from "./migrations.ts"
import { ScheduleRunStore } from "./ScheduleRunStore.ts"
import * as Endpoints from "./SchedulesApi.ts"
import { ScheduleStore } from "./ScheduleStore.ts"
import { scheduleSettings } from "./Scheduling.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly scheduleRuns: typeof ScheduleRunStore
    readonly schedules: typeof ScheduleStore
  }
}

export const schedules = Feature.make({
  name: "schedules",
  groups: [Endpoints.Schedules],
  settings: scheduleSettings,
  stores: { scheduleRuns: ScheduleRunStore, schedules: ScheduleStore },
  migrations,
  load: () => import("./live.ts")
})
