// The jobs that execute attempts of schedules, as the stores enqueue them.
import * as Job from "@svc-runtime/engine/jobs/Job"
import type * as Schedule from "./Schedule.ts"

export const jobKind = "schedule_run"

/** Attempts of a job, whose node can stop. Attempts of the schedule are separate jobs. */
export const jobAttempts = 20

export const jobIdOf = (id: Schedule.RunId): Job.Id => Job.Id.make(`${jobKind}:${id}`)
