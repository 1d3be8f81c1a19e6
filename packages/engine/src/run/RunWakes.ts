// Runs that wait for a time. A job with that time is stored with the pause, by whichever node ends the execution. Its
// handler, in `runService/WakeJob.ts`, resumes the run.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Requirement from "@svc-runtime/domain/Requirement"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import * as Time from "@svc-runtime/domain/Time"
import { Effect, Option, Schema } from "effect"
import * as JobKind from "../jobs/JobKind.ts"
import * as Jobs from "../jobs/Jobs.ts"
import * as JobsAfterRun from "../jobs/JobsAfterRun.ts"
import type { RunCompletion } from "./store/RunWrites.ts"

const Payload = Schema.Struct({ run_id: Run.Id, session_id: Session.Id, wake_at: Time.EpochSeconds })

/** An attempt that fails is repeated for weeks: without the job, the run would wait forever. */
export const shape = {
  name: "run_wake",
  payload: Payload,
  concurrency: 8,
  maxAttempts: 500,
  timeout: "5 minutes"
} as const

const enqueued = JobKind.withoutHandler(shape)

const decodeRequirements = Schema.decodeUnknownOption(Schema.Array(Requirement.Requirement))

const requirementsOf = (run: AnyRun.Output): ReadonlyArray<Requirement.Requirement> => {
  if (!AnyRun.isWorkflow(run)) return run.requirements ?? []
  const pending = run.step_requirements?.at(-1)?.executor_requirements ?? []
  return Option.getOrElse(decodeRequirements(pending), () => [])
}

/** When an open wait of the run ends. */
export const timesOf = (run: AnyRun.Output): ReadonlySet<Time.EpochSeconds> =>
  new Set([
    ...requirementsOf(run).filter(Requirement.isOpen).flatMap(({ tool_execution: { wake_at } }) => wake_at ?? []),
    ...AnyRun.isWorkflow(run) && run.wake_at !== undefined ? [run.wake_at] : []
  ])

const jobOf = Effect.fnUntraced(function*({ run_id, session_id, user_id }: AnyRun.Output, wake_at: Time.EpochSeconds) {
  const payload = { run_id, session_id: Session.Id.make(session_id), wake_at }
  const job = yield* Jobs.newJob(enqueued, payload, { run_at: wake_at, session_id, user_id })
  return { ...job, id: JobsAfterRun.idOf(`${shape.name}:${wake_at}`, run_id) }
})

/** The end of an execution with the jobs that resume the run. */
export const withWakes = (completion: RunCompletion): Effect.Effect<RunCompletion> => {
  const { jobs = [], run } = completion
  const times = run.status === "PAUSED" ? timesOf(run) : new Set<Time.EpochSeconds>()
  if (times.size === 0) return Effect.succeed(completion)
  return Effect.forEach(times, (wake_at) => jobOf(run, wake_at)).pipe(
    Effect.map((wakes) => ({ ...completion, jobs: [...jobs, ...wakes] })),
    Effect.catchTag(
      "JobInvalid",
      (error) => Effect.as(Effect.logError("Could not schedule the wake-up of a sleeping run", error), completion)
    )
  )
}
