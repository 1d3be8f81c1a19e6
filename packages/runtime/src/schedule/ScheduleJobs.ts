// The jobs that execute attempts of schedules, as the stores enqueue them.
import type * as Schedule from "@svc/domain/Schedule"
import * as Job from "../jobs/Job.ts"

export const jobKind = "schedule_run"

/** Attempts of a job, whose node can stop. Attempts of the schedule are separate jobs. */
export const jobAttempts = 20

export const jobIdOf = (id: Schedule.RunId): Job.Id => Job.Id.make(`${jobKind}:${id}`)
