// Lets requests wait for the end of a job, by the id of what it executes. The job runs in this process, or on another
// node whose signal can be lost: so a request polls what is stored, too.
import { Effect, Latch } from "effect"
import type { NodeSignals } from "./NodeSignals.ts"
import { retryThroughOutage } from "./retryThroughOutage.ts"

export type Signals = Pick<NodeSignals, "follow" | "publish">

export interface AwaitedEnds<Id> {
  /** An attempt has ended in this process. */
  readonly ended: (id: Id) => void
  /** `ended` waits for the end of an attempt, once for each: an attempt that failed is repeated later. */
  readonly awaiting: <A, E, R>(
    id: Id,
    use: (ended: Effect.Effect<void>) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
  /** How ends are signalled between nodes. */
  readonly connect: (signals: Signals) => void
}

/** `what` is part of the names of its signals. */
export const make = <Id extends string>(what: string): AwaitedEnds<Id> => {
  const awaited = new Map<Id, Set<Latch.Latch>>()
  const topicOf = (id: Id) => `${what} ${id}`
  let signals: Signals = { publish: () => {}, follow: () => () => {} }
  return {
    ended: (id) => {
      signals.publish(topicOf(id))
      awaited.get(id)?.forEach((latch) => latch.openUnsafe())
    },
    awaiting: (id, use) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          const latch = Latch.makeUnsafe(false)
          const latches = awaited.get(id) ?? new Set()
          awaited.set(id, latches.add(latch))
          return { latch, latches, unfollow: signals.follow(topicOf(id), () => latch.openUnsafe()) }
        }),
        ({ latch }) => use(Effect.tap(latch.await, () => Effect.sync(() => latch.closeUnsafe()))),
        ({ latch, latches, unfollow }) =>
          Effect.sync(() => {
            unfollow()
            latches.delete(latch)
            if (latches.size === 0) awaited.delete(id)
          })
      ),
    connect: (given) => {
      signals = given
    }
  }
}

/** Polls find an end whose signal was lost. */
const pollInterval = "500 millis"

/** What is awaited ends also without the request, so the client can read it later. */
const maxOutage = "1 minute"

/** Reads what is stored until it has ended, also through an outage of the database. `ended` is of `awaiting`. */
export const read = Effect.fnUntraced(function*<A, E, R>(
  stored: Effect.Effect<A, E, R>,
  hasEnded: (stored: A) => boolean,
  ended: Effect.Effect<void>
) {
  for (;;) {
    const found = yield* retryThroughOutage(stored, maxOutage)
    if (hasEnded(found)) return found
    yield* Effect.raceFirst(ended, Effect.sleep(pollInterval))
  }
})
