// The settings of schedules.
import { defaultLimits, type ScheduleLimits } from "@svc/runtime/schedule/Scheduling"
import { Config as Env } from "effect"
import { count, flagOr } from "../config/ConfigReaders.ts"

export const scheduleSettings: Env.Config<ScheduleLimits> = Env.all({
  isEnabled: flagOr("SCHEDULER_ENABLED", defaultLimits.isEnabled),
  concurrency: count("SCHEDULE_CONCURRENCY", defaultLimits.concurrency),
  schedules: count("MAX_SCHEDULES", defaultLimits.schedules),
  failures: count("SCHEDULE_MAX_FAILURES", defaultLimits.failures, 0)
})
