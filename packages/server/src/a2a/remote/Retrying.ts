// Attempts to reach a remote agent, with growing delays between them.
import { Duration, Effect } from "effect"
import type { CallFailed } from "./CallFailed.ts"

/** After the first attempt. */
const maxRetries = 5

const maxSeconds = 60

/** Seconds before an attempt: its own wish counts, up to a minute. */
const delayBefore = (attempt: number, { retryAfter }: CallFailed): Duration.Duration =>
  Duration.seconds(Math.min(maxSeconds, Math.max(retryAfter, 0.2 * 2 ** (attempt - 1))))

export const retry = <A, R>(
  effect: Effect.Effect<A, CallFailed, R>,
  isSafe: (error: CallFailed) => boolean
): Effect.Effect<A, CallFailed, R> => {
  const after = (attempt: number): Effect.Effect<A, CallFailed, R> =>
    Effect.catchIf(
      effect,
      (error) => attempt <= maxRetries && isSafe(error),
      (error) => Effect.andThen(Effect.sleep(delayBefore(attempt, error)), after(attempt + 1))
    )
  return after(1)
}

/** For requests that change nothing. */
export const isTransient = ({ kind }: CallFailed): boolean => kind !== "refused"
