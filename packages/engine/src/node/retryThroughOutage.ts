// Retries a statement of a request through an outage of the database, for a limited time: a client waits for it.
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import { isStorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Clock, Duration, Effect } from "effect"
import { retryUntilAvailable } from "./retryUntilAvailable.ts"

/** Pending migrations are no outage: an operator executes them. A service that stops does not return. */
const isOutage = (error: unknown): boolean =>
  isStorageUnavailable(error) && error.pendingDatabase === undefined && error.uncertainRun === undefined

/** The last failure, if the database was unavailable for the whole time. Other errors are not retried. */
export const retryThroughOutage = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  limit: Duration.Input,
  isStillNeeded: () => boolean = () => true
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const clock = fiber.getRef(Clock.Clock)
    const end = Monotonic.millisOf(clock) + Duration.toMillis(limit)
    const attempt = Effect.matchEffect(effect, {
      onSuccess: (value) => Effect.succeed(Effect.succeed(value)),
      onFailure: (error) => isOutage(error) ? Effect.fail(error) : Effect.succeed(Effect.fail(error))
    })
    return Effect.flatten(retryUntilAvailable(attempt, () => isStillNeeded() && Monotonic.millisOf(clock) < end))
  })
