// Schedules, which send requests to the service or start runs at their times. They are in its own database.
import { Effect, Layer } from "effect"
import * as Feature from "../Feature.ts"
import * as ScheduleJob from "./ScheduleJob.ts"
import * as Scheduler from "./Scheduler.ts"
import * as Endpoints from "./SchedulesApi.ts"
import { scheduleSettings } from "./ScheduleSettings.ts"
import { Schedules } from "./SchedulesHandlers.ts"
import * as ScheduleTarget from "./ScheduleTarget.ts"
import { type ScheduleLimits, Scheduling } from "./Scheduling.ts"

export const schedules = Feature.make({
  name: "schedules",
  groups: [Endpoints.Schedules],
  handlers: Schedules,
  settings: scheduleSettings,
  service: (limits: ScheduleLimits) => Scheduling.layer(limits),
  workers: ({ isEnabled }, { isOwn }) => isOwn && isEnabled ? Scheduler.layer : Layer.empty,
  jobs: (_, { isOwn }) => isOwn ? ScheduleJob.kinds : Effect.succeed([]),
  requests: () => ScheduleTarget.layer
})
