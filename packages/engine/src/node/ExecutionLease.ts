// Whether an execution still holds the lease of its run or job. Writes are fenced by the attempt. Effects outside the
// store are not, so the lease is checked in the store before an effect if another node could have taken it over.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Effect } from "effect"
import { type Effects, mayRepeat } from "../userCode/Effects.ts"
import type { NodeHeartbeat } from "./NodeHeartbeat.ts"
import { retryUntilAvailable } from "./retryUntilAvailable.ts"

export interface ExecutionLease {
  /** A statement that was sent in this epoch of the node found the lease held. */
  readonly confirmed: (epoch: number) => void
  readonly epoch: () => number
  /** Does an effect while the lease is held. */
  readonly act: <A, E, R>(effects: Effects, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** It waits for the store, or for a call with `effects: "once"`. Its outcome must not be lost. */
  readonly isOccupied: () => boolean
}

export interface Options {
  readonly node: NodeHeartbeat
  /** Undefined: the lease was acquired by a statement whose time is unknown. */
  readonly acquiredIn: number | undefined
  /** Reads from the store whether the lease is held. */
  readonly ask: Effect.Effect<boolean, StorageUnavailable>
  /** Stops the execution. Does not return. */
  readonly giveUp: Effect.Effect<never>
}

export const make = ({ acquiredIn, ask, giveUp, node }: Options): ExecutionLease => {
  let known = acquiredIn ?? -1
  let occupied = 0
  const confirmed = (epoch: number) => {
    known = Math.max(known, epoch)
  }
  const isHeld = () => node.isFresh() && known === node.epoch()

  // The heartbeat first: a lease that is held after it stays held until the heartbeat is too old.
  const confirm: Effect.Effect<void, StorageUnavailable> = Effect.suspend(() => {
    if (isHeld()) return Effect.void
    return Effect.flatMap(node.send, () => {
      const epoch = node.epoch()
      return Effect.flatMap(ask, (held) => {
        if (!held) return giveUp
        confirmed(epoch)
        return confirm
      })
    })
  })

  const occupying = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      occupied++
      return Effect.ensuring(effect, Effect.sync(() => occupied--))
    })
  const confirming = occupying(Effect.orDie(retryUntilAvailable(confirm)))

  return {
    confirmed,
    epoch: node.epoch,
    isOccupied: () => occupied > 0,
    act: (effects, effect) => {
      if (effects === "read") return effect
      const guarded = mayRepeat(effects) ? effect : occupying(effect)
      return Effect.suspend(() => isHeld() ? guarded : Effect.andThen(confirming, guarded))
    }
  }
}
