// The settings of schedules.
import { count, flagOr } from "@svc-runtime/http/config/ConfigReaders"
import { Config as Env } from "effect"
import { defaultLimits, type ScheduleLimits } from "./Scheduling.ts"

export const scheduleSettings: Env.Config<ScheduleLimits> = Env.all({
  isEnabled: flagOr("SCHEDULER_ENABLED", defaultLimits.isEnabled),
  concurrency: count("SCHEDULE_CONCURRENCY", defaultLimits.concurrency),
  schedules: count("MAX_SCHEDULES", defaultLimits.schedules),
  failures: count("SCHEDULE_MAX_FAILURES", defaultLimits.failures, 0)
})
