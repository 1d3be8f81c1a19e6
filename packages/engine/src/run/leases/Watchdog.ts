// Watches the heartbeat of this node. When none was stored for NODE_TIMEOUT, other nodes may have acquired its runs: it
// accepts none until a heartbeat is stored again, and then stops the runs that other nodes have acquired. It continues
// the others: while the database is away, no other node can acquire a run, and a node that takes one over alone is
// fenced from its writes. Calls with effects wait for a heartbeat and for the lease of their run.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { type Duration, Effect } from "effect"
import type { NodeHeartbeat } from "../../node/NodeHeartbeat.ts"

export interface Options {
  readonly heartbeat: NodeHeartbeat
  /** Stops the runs that other nodes have acquired. Returns how many those are. */
  readonly giveUpLost: Effect.Effect<number, StorageUnavailable>
  /** How long the first heartbeat after a gap may take. */
  readonly timeout: Duration.Input
  /** The loss of the database is logged already. */
  readonly isStorageAway: () => boolean
  /** Called when heartbeats are stored again. */
  readonly onRecovered: Effect.Effect<void>
}

/** The task of a background loop. */
export const make = (options: Options): Effect.Effect<void> => {
  const { giveUpLost, heartbeat, isStorageAway, onRecovered, timeout } = options
  let [hadExpired, isExplained] = [false, false]
  let longest = 0

  const recovered = (lost: number) =>
    Effect.suspend(() => {
      const text = `Heartbeats are stored again: this node accepts runs. It had none for ${Math.round(longest)} s, ` +
        `and other nodes have taken over ${lost} of its runs. It continues the others`
      const isLogged = !isExplained || lost > 0
      hadExpired = isExplained = false
      longest = 0
      return Effect.andThen(onRecovered, isLogged ? Effect.logWarning(text) : Effect.void)
    })

  const unstored = Effect.suspend(() => {
    const text = `This node could not store a heartbeat for ${Math.round(heartbeat.age())} s (NODE_TIMEOUT). It ` +
      "refuses new runs. It continues its runs when a heartbeat is stored again, except what other nodes have taken over"
    isExplained = isStorageAway()
    return isExplained ? Effect.void : Effect.logError(text)
  })

  return Effect.suspend(() => {
    const isExpired = heartbeat.hasExpired()
    if (!isExpired && !hadExpired) return Effect.void
    longest = Math.max(longest, heartbeat.age())
    if (isExpired && hadExpired) return Effect.void
    // a process that was suspended, or whose clock jumped, can store one at once
    const renewing = isExpired ? heartbeat.send : Effect.void
    return Effect.andThen(renewing, giveUpLost).pipe(
      Effect.timeout(timeout),
      Effect.matchEffect({
        onFailure: () =>
          Effect.suspend(() => {
            // another heartbeat can be stored while this one fails
            const isNews = !hadExpired && heartbeat.hasExpired()
            hadExpired = true
            return isNews ? unstored : Effect.void
          }),
        onSuccess: recovered
      })
    )
  })
}
