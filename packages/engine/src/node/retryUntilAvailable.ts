// Retries a statement while the database is unavailable, so that the results of a run are not lost. A statement that
// the database rejects is retried for some seconds, and then fails, because waiting may not help.
import { Effect, Predicate, Schedule } from "effect"
import { CurrentWork } from "./CurrentWork.ts"

const pauses = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("2 seconds")])

/** About ten seconds: the duration of a long table lock, or until a pooler has dropped its statements. */
const maxRejections = 10

const isRejected = (error: unknown): boolean => Predicate.hasProperty(error, "isRejected") && error.isRejected === true

/**
 * Retries once at once, because only one connection may be broken, and then with delays, for the given time. A
 * statement that succeeds at first, the common case, creates no schedule.
 */
export const retryUntilAvailable = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  isStillNeeded: () => boolean = () => true
): Effect.Effect<A, E, R> =>
  Effect.catch(effect, () =>
    Effect.flatMap(CurrentWork, ({ isClosing }) => {
      let rejections = 0
      const isWanted = (error: E) =>
        isStillNeeded() && !isClosing() && (!isRejected(error) || rejections++ < maxRejections)
      return Effect.retry(effect, { schedule: pauses, while: isWanted })
    }))
