// The time limit of a part of a workflow. The runs in it are cancelled before they are interrupted: they end, with what
// they have used.
import * as Cancellation from "@svc-runtime/engine/run/engine/Cancellation"
import * as ModelRequests from "@svc-runtime/telemetry/ModelRequests"
import { type Duration, Effect } from "effect"
import { StepFailure } from "./StepFailure.ts"
import type { WorkflowExecution } from "./WorkflowExecution.ts"

export const within = <A, E>(
  execution: WorkflowExecution,
  limit: Duration.Duration,
  message: string,
  part: (execution: WorkflowExecution) => Effect.Effect<A, E>
): Effect.Effect<A, E | StepFailure> =>
  Effect.suspend(() => {
    const cancellation = Cancellation.inside(execution.cancellation)
    let isLate = false
    const late = Effect.suspend(() => {
      cancellation.reason = message
      isLate = true
      return Effect.fail(new StepFailure({ message, error_type: "TimeoutError" }))
    })
    return Effect.raceFirst(
      ModelRequests.lateWhen(part({ ...execution, cancellation }), () => isLate),
      Effect.andThen(Effect.sleep(limit), late)
    )
  })
