// Waits for a run that this process no longer executes, until the node that does has stored its end.
import { Effect, Predicate, Schedule } from "effect"

/** The run has not ended, and was not deleted. */
export const isHandedOver = (error: unknown): boolean =>
  Predicate.isTagged(error, "RunHandedOver") && Predicate.hasProperty(error, "reason") && error.reason !== "deleted"

export const awaitElsewhere = <A, E, R>(output: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(output, { schedule: Schedule.spaced("500 millis"), while: isHandedOver })
