// Large reads of one caller follow each other with pauses while other requests arrive: such a read delays every other
// request, so that a caller who repeats it would take most of the time of a node.
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import { Effect } from "effect"

/** The pause after a large read, as a multiple of the time that it took. */
const factor = 15

/** In milliseconds. */
const maxPause = 4000

/** Above this number of callers, pauses that are over are removed. */
const manyCallers = 1000

export interface LargeReadThrottle {
  /** Counts a request of anybody. */
  readonly arrived: () => void
  /** A large read of a caller begins. The result ends it. */
  readonly begin: (caller: string) => Effect.Effect<Effect.Effect<void>>
  /** The rest of the caller's pause, in milliseconds. */
  readonly rest: (caller: string) => Effect.Effect<number>
}

export const make = (): LargeReadThrottle => {
  let arrivals = 0
  const ends = new Map<string, number>()

  const removeEnded = (now: number) => {
    for (const [caller, end] of ends) if (end <= now) ends.delete(caller)
  }

  return {
    arrived: () => {
      arrivals++
    },
    begin: (caller) =>
      Effect.map(Monotonic.millis, (begun) => {
        const before = arrivals
        return Effect.map(Monotonic.millis, (now) => {
          if (arrivals === before || now <= begun) return
          if (ends.size >= manyCallers) removeEnded(now)
          ends.set(caller, now + Math.min(factor * (now - begun), maxPause))
        })
      }),
    rest: (caller) => Effect.map(Monotonic.millis, (now) => Math.max(0, (ends.get(caller) ?? now) - now))
  }
}
