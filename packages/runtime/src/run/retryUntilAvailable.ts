// An unavailable database is waited for: the results of a run are not thrown away because they cannot be stored yet. A
// statement that the database rejects is repeated for some seconds, and then fails, because waiting may not help.
import { Context, Effect, Predicate, Schedule } from "effect"

const pauses = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("2 seconds")])

/** About ten seconds: as long as a table is locked away or a pooler forgets statements. */
const maximumRejections = 10

/** Whether the engine that a fiber belongs to is being closed: it does not wait for a database then. */
export const IsClosing = Context.Reference<() => boolean>("@svc/runtime/run/IsClosing", {
  defaultValue: () => () => false
})

const isRejected = (error: unknown): boolean => Predicate.hasProperty(error, "isRejected") && error.isRejected === true

/**
 * Once more at once, because one connection may be broken and the next one whole, and then for as long as it takes, or
 * as it is worth it. What succeeds at first, as nearly everything does, never gets to know of a schedule.
 */
export const retryUntilAvailable = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  isStillNeeded: () => boolean = () => true
): Effect.Effect<A, E, R> =>
  Effect.catch(effect, () =>
    Effect.flatMap(IsClosing, (isClosing) => {
      let rejections = 0
      const isWanted = (error: E) =>
        isStillNeeded() && !isClosing() && (!isRejected(error) || rejections++ < maximumRejections)
      return Effect.retry(effect, { schedule: pauses, while: isWanted })
    }))
