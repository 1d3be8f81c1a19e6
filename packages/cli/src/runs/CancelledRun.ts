// Cancels a run when its command is interrupted. The service has little time to respond: the person wants to leave.
import { Deferred, Effect, Option } from "effect"
import type { RunReference } from "../service/RunEvents.ts"
import type { Runs } from "../service/Runs.ts"
import { Output } from "../terminal/Output.ts"

const timeout = "3 seconds"

/** Returns the run. None if the service did not name it in time, so that it could not be cancelled. */
export const cancel = Effect.fn("CancelledRun.cancel")(
  function*(runs: Runs, begun: Deferred.Deferred<RunReference>) {
    const output = yield* Output
    if (!(yield* Deferred.isDone(begun))) yield* output.note("cancelling the run when the service names it")
    const named = yield* Effect.timeoutOption(Deferred.await(begun), timeout)
    if (Option.isNone(named)) {
      yield* output.warn("The service did not name the run in time, and may still execute it: see svc runs list.")
      return named
    }
    const run = named.value
    const cancelling = runs.cancel(run)
    yield* Effect.matchEffect(Effect.timeout(cancelling, timeout), {
      onFailure: () =>
        output.warn(
          `The run ${run.run_id} could not be cancelled, and may still execute. Cancel it with svc runs cancel ${run.run_id}.`
        ),
      onSuccess: () => output.note(`run ${run.run_id} cancelled`)
    })
    return named
  }
)
