// Says when this node takes over no runs for long, because its own heartbeats are not stored regularly. Nothing else
// shows it: the node executes runs, and others do not miss its heartbeats.
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import { Clock, Effect } from "effect"

export interface Steadiness {
  /** Stores a heartbeat. Failed heartbeats are logged elsewhere. */
  readonly beating: <E>(beat: Effect.Effect<void, E>) => Effect.Effect<void, E>
  /** Called with each judgement. Undefined: the database has not replied, which is logged elsewhere. */
  readonly judged: (isSteady: boolean | undefined) => Effect.Effect<void>
}

const tenths = (seconds: number) => Math.round(seconds * 10) / 10

export const make = Effect.fnUntraced(function*(nodeTimeout: number, maxGap: number): Effect.fn.Return<Steadiness> {
  const clock = yield* Clock.Clock
  const now = () => Monotonic.millisOf(clock) / 1000
  let storedAt: number | undefined
  let unsteadySince: number | undefined
  let longestGap = 0
  let isReported = false

  const begin = () => {
    unsteadySince = undefined
    longestGap = 0
  }

  const steady = Effect.suspend(() => {
    begin()
    if (!isReported) return Effect.void
    isReported = false
    return Effect.logInfo("This node takes over runs of other nodes again: its heartbeats are regular")
  })

  const unsteady = Effect.suspend(() => {
    unsteadySince ??= now()
    const seconds = now() - unsteadySince
    // a node is steady NODE_TIMEOUT after its start, or after a gap
    if (isReported || seconds < 2 * nodeTimeout || longestGap <= maxGap) return Effect.void
    isReported = true
    return Effect.logWarning(
      `This node takes over no runs of other nodes: for ${Math.round(seconds)} s, its heartbeats were stored up to ` +
        `${tenths(longestGap)} s apart, and ${tenths(maxGap)} s are allowed (3/8 of NODE_TIMEOUT). ` +
        "Give the process and the database more processor time, look for slow connections to the database, or raise " +
        "NODE_TIMEOUT on all nodes"
    )
  })

  return {
    beating: (beat) =>
      beat.pipe(
        Effect.onError(() =>
          Effect.sync(() => {
            storedAt = undefined
            begin()
          })
        ),
        Effect.tap(() =>
          Effect.sync(() => {
            if (storedAt !== undefined) longestGap = Math.max(longestGap, now() - storedAt)
            storedAt = now()
          })
        )
      ),
    judged: (isSteady) => {
      if (isSteady === undefined) return Effect.sync(begin)
      return isSteady ? steady : unsteady
    }
  }
})
