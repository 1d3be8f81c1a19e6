// A database that is away is waited for: what a run has done is not thrown away because it cannot be written down yet.
import { Effect, Schedule } from "effect"

const pauses = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("2 seconds")])

/**
 * Once more at once, because one connection may be broken and the next one whole, and then for as long as it takes, or as
 * it is worth it. What succeeds at first, as nearly everything does, never gets to know of a schedule.
 */
export const untilItIsBack = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  isWorthIt: () => boolean = () => true
): Effect.Effect<A, E, R> => Effect.catch(effect, () => Effect.retry(effect, { schedule: pauses, while: isWorthIt }))
