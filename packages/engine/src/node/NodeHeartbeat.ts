// The node's own heartbeat. Others take over the runs of a node whose heartbeat is missing for NODE_TIMEOUT and a
// margin. The node itself trusts its leases until a margin before NODE_TIMEOUT. After that it continues what no other
// node has acquired (`Watchdog.ts`), and calls with effects wait for a heartbeat and for the lease of their run.
//
// The time of a heartbeat is when it was sent, not when its reply arrived. Time is measured by the monotonic and by the
// wall clock, and the longer one counts, because a suspended machine can stop either. A clock that jumps costs one more
// statement.
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Clock, Duration, Effect } from "effect"

export interface Options {
  /** Stores a heartbeat. */
  readonly beat: Effect.Effect<void, StorageUnavailable>
  /** Seconds. Undefined: no other node takes anything over. */
  readonly nodeTimeout: number | undefined
}

export interface NodeHeartbeat {
  /** Sends a heartbeat. */
  readonly send: Effect.Effect<void, StorageUnavailable>
  /** The last heartbeat is recent enough to act. */
  readonly isFresh: () => boolean
  /** No heartbeat was stored for NODE_TIMEOUT: other nodes may have taken over what this one executes. */
  readonly hasExpired: () => boolean
  /** Seconds since the last heartbeat was sent. */
  readonly age: () => number
  /** Rises with each gap between heartbeats in which others may have taken over runs. */
  readonly epoch: () => number
}

const marginOf = (nodeTimeout: number): number => nodeTimeout / 8

/** A node without a recent heartbeat accepts no runs. */
export const expired = Effect.suspend(() =>
  Effect.fail(
    new StorageUnavailable({ cause: "This node could not store a heartbeat for NODE_TIMEOUT", hasNoHeartbeat: true })
  )
)

export const whileAlive = <A, E>(
  heartbeat: NodeHeartbeat,
  effect: Effect.Effect<A, E>
): Effect.Effect<A, E | StorageUnavailable> =>
  Effect.suspend((): Effect.Effect<A, E | StorageUnavailable> => heartbeat.hasExpired() ? expired : effect)

/** How long a node trusts its leases after a heartbeat. */
export const trustedFor = (nodeTimeout: number): number => nodeTimeout - marginOf(nodeTimeout)

/** How long others wait. */
export const takeoverAfter = (nodeTimeout: number): number => nodeTimeout + marginOf(nodeTimeout)

const untimed: NodeHeartbeat = {
  send: Effect.void,
  isFresh: () => true,
  hasExpired: () => false,
  age: () => 0,
  // that of a run whose acquisition has no known time: it need not be checked
  epoch: () => -1
}

interface Moment {
  readonly wall: number
  readonly monotonic: bigint
}

export const make = Effect.fnUntraced(function*({ beat, nodeTimeout }: Options) {
  if (nodeTimeout === undefined) return untimed
  const clock = yield* Clock.Clock
  const now = (): Moment => ({ wall: clock.currentTimeMillisUnsafe(), monotonic: clock.monotonicTimeNanosUnsafe() })
  const secondsSince = ({ monotonic, wall }: Moment): number =>
    Math.max(
      Number(clock.monotonicTimeNanosUnsafe() - monotonic) / 1e9,
      (clock.currentTimeMillisUnsafe() - wall) / 1000
    )
  const trusted = trustedFor(nodeTimeout)
  let last = now()
  let epoch = 0
  const withoutReply = Effect.suspend(() =>
    Effect.fail(new StorageUnavailable({ cause: `A heartbeat had no reply within ${nodeTimeout / 2} s` }))
  )
  const heartbeat: NodeHeartbeat = {
    send: Effect.suspend(() => {
      const sent = now()
      return Effect.map(
        Effect.timeoutOrElse(beat, { duration: Duration.seconds(nodeTimeout / 2), orElse: () => withoutReply }),
        () => {
          if (secondsSince(last) >= trusted) epoch++
          last = sent
        }
      )
    }),
    isFresh: () => secondsSince(last) < trusted,
    hasExpired: () => secondsSince(last) >= nodeTimeout,
    age: () => secondsSince(last),
    epoch: () => epoch
  }
  return heartbeat
})
