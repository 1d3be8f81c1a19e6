// A clock that a test sets, so that the wall clock can differ from the time that has passed.
import { Clock, Effect } from "effect"

/** Nanoseconds. A change is seen at once. */
export interface Time {
  wall: bigint
  monotonic: bigint
}

/** Other methods of the clock stay. */
export const withTime = (time: Readonly<Time>) =>
  Effect.updateService(Clock.Clock, (real): Clock.Clock => ({
    ...real,
    currentTimeNanosUnsafe: () => time.wall,
    monotonicTimeNanosUnsafe: () => time.monotonic
  }))
