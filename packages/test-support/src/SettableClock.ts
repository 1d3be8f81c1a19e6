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

/** Milliseconds that are added to the real wall clock. A change is seen at once. */
export interface Shift {
  millis: number
}

/** The wall clock is ahead. Waits take as long as before. */
export const shifted = (shift: Readonly<Shift>) =>
  Effect.updateService(Clock.Clock, (real): Clock.Clock => {
    const millis = () => real.currentTimeMillisUnsafe() + shift.millis
    const nanos = () => real.currentTimeNanosUnsafe() + BigInt(shift.millis) * 1_000_000n
    // the methods of the real clock are those of its class
    return Object.assign(Object.create(real) as Clock.Clock, {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos)
    })
  })
