// The time limit of a run inside of a run. A run that exceeds it is cancelled with the reason, and ends before its call
// does.
import * as Cancellation from "@svc-runtime/engine/run/engine/Cancellation"
import * as ModelRequests from "@svc-runtime/telemetry/ModelRequests"
import { Deferred, Duration, Effect, Fiber, Option } from "effect"

export const reasonOf = (limit: Duration.Duration): string => `The tool did not finish within ${Duration.format(limit)}`

/** In an uninterruptible region. `run` gets the cancellation of the run, which is also that of the outer run. */
export const within = Effect.fnUntraced(function*<A>(
  outer: Cancellation.Cancellation,
  limit: Duration.Duration,
  run: (cancellation: Cancellation.Cancellation) => Effect.Effect<A>
) {
  const cancellation = Cancellation.inside(outer)
  const done = yield* Deferred.make<A>()
  let isLate = false
  const running = ModelRequests.lateWhen(run(cancellation), () => isLate)
  // the exit of an interrupted fiber has no result, and one that is interrupted before it begins gives none to `done`
  const fiber = yield* Effect.forkChild(Effect.uninterruptible(Deferred.into(running, done)), {
    startImmediately: true
  })
  const waited = yield* Effect.exit(Effect.interruptible(Effect.timeoutOption(Fiber.await(fiber), limit)))
  isLate = waited._tag === "Success" && Option.isNone(waited.value)
  if (isLate) cancellation.reason = reasonOf(limit)
  // the outer run may be interrupted, too
  if (isLate || waited._tag === "Failure") fiber.interruptUnsafe()
  return yield* Deferred.await(done)
})
