// The background tasks of a run that was cancelled. A job cancels them, which is stored with the end of the run:
// whichever node ends it, and whether it was executing or paused.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Run from "@svc-runtime/domain/Run"
import * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import * as Jobs from "@svc-runtime/engine/jobs/Jobs"
import * as JobsAfterRun from "@svc-runtime/engine/jobs/JobsAfterRun"
import { Effect, Schema } from "effect"

const Payload = Schema.Struct({ run_id: Run.Id })

export const shape = { name: "background_cancel", payload: Payload, maxAttempts: 20, timeout: "5 minutes" } as const

const enqueued = JobKind.withoutHandler(shape)

/**
 * The store knows which tasks are its own, so a result that only looks like a handle cancels nothing. A call whose
 * result was lost can have started a task.
 */
const mayHaveTasks = (run: AnyRun.Output): boolean =>
  !AnyRun.isWorkflow(run) &&
  (run.tools ?? []).some((tool) => tool.result?.includes("\"task_id\"") === true || ToolExecution.isOutcomeLost(tool))

/** The end of a run with the job that cancels its background tasks. */
export const withCancels = <
  Completion extends { readonly run: AnyRun.Output; readonly jobs?: JobsAfterRun.JobsAfterRun | undefined }
>(
  completion: Completion
): Effect.Effect<Completion> => {
  const { jobs = [], run } = completion
  if (run.status !== "CANCELLED" || !mayHaveTasks(run)) return Effect.succeed(completion)
  const run_id = Run.Id.make(run.run_id)
  return Jobs.newJob(enqueued, { run_id }).pipe(
    Effect.map((job) => ({ ...completion, jobs: [...jobs, { ...job, id: JobsAfterRun.idOf(shape.name, run_id) }] })),
    Effect.catchTag(
      "JobInvalid",
      (error) => Effect.as(Effect.logWarning("Background tasks are not cancelled", error), completion)
    )
  )
}
