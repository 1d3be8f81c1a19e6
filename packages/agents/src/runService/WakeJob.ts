// The background job that resumes a run when the time has come for which it waits.
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { now } from "@svc-runtime/engine/now"
import * as RunWakes from "@svc-runtime/engine/run/RunWakes"
import { Effect } from "effect"
import * as ApprovedRun from "./ApprovedRun.ts"

const refused = () =>
  Effect.fail(new JobKind.JobRejected({ message: "The factory of the run refuses to build its component" }))

/** Seconds. Room can appear before the time that a limit names. */
const maxWait = 60

/** A run that also waits for a person stays paused: the decision of the person resumes it. */
export const kind = Effect.map(ApprovedRun.services, (services) =>
  JobKind.make({
    ...RunWakes.shape,
    handle: Effect.fnUntraced(
      function*({ run_id, session_id, wake_at }, { postpone }) {
        const time = yield* now
        // the clock of the database is ahead
        if (time < wake_at) return yield* postpone(wake_at - time)
        const outcome = yield* Effect.catchTags(ApprovedRun.resume(services, session_id, run_id), {
          FactoryPermissionError: refused,
          FactoryValidationError: refused,
          LimitReached: ({ retry_after }) => Effect.as(postpone(Math.min(retry_after, maxWait)), "done" as const)
        })
        // it is executed now, and may pause for the same time again
        if (outcome === "later") yield* postpone(1)
      },
      (effect, { run_id }) => Effect.annotateLogs(effect, { run_id })
    )
  }))
