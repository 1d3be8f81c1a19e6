// The next times of a schedule, or of a cron expression that no schedule has yet.
import { EpochSeconds } from "@svc-runtime/domain/Time"
import { Schema } from "effect"
import * as Schedule from "./Schedule.ts"

/** Times in one preview. */
export const maxTimes = 100

export const OfSchedule = Schema.Struct({
  schedule_id: Schedule.Id,
  timezone: Schema.String,
  times: Schema.Array(EpochSeconds)
}).annotate({ identifier: "SchedulePreview" })

export const OfCron = Schema.Struct({ timezone: Schema.String, times: Schema.Array(EpochSeconds) })
  .annotate({ identifier: "CronPreview" })

const { cron_expr, timezone } = Schedule.Create.fields

export const CronQuery = { cron_expr, timezone }
