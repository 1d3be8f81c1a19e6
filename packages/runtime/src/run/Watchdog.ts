// Stops a node that could not store a heartbeat for NODE_TIMEOUT: other nodes may have acquired what it executes. It gives
// its runs up and accepts none until a heartbeat is stored again. Runs that wait for the store, and those in a call that must
// be made once, are left to it: what they write is fenced, and the outcome of such a call is worth knowing.
import type { Run } from "@svc/domain"
import { Effect } from "effect"
import * as Execution from "./Execution.ts"
import type { NodeLease } from "./NodeLease.ts"

export interface Options {
  readonly lease: NodeLease
  readonly executing: ReadonlyMap<Run.Id, Execution.Execution>
  /** Called when heartbeats are stored again. */
  readonly onRecovered: Effect.Effect<void>
}

const isIdle = ({ isEnding, lease, writing }: Execution.Execution) => !isEnding && writing === 0 && !lease.isOccupied()

/** The task of a background loop. */
export const make = ({ executing, lease, onRecovered }: Options): Effect.Effect<void> => {
  let hadExpired = false
  return Effect.suspend(() => {
    if (!lease.hasExpired()) {
      if (!hadExpired) return Effect.void
      hadExpired = false
      return Effect.andThen(
        onRecovered,
        Effect.logInfo("Heartbeats are stored again: this node accepts and executes runs")
      )
    }
    const given = [...executing.values()].filter((execution) => isIdle(execution) && execution.givenUp === undefined)
    const log = hadExpired ? Effect.void : Effect.logError(
      `This node could not store a heartbeat for ${
        Math.round(lease.age())
      } s (NODE_TIMEOUT). Other nodes may take over its ` +
        `runs: it refuses new ones and gives up the ${given.length} that it executes`
    )
    hadExpired = true
    return Effect.andThen(log, Effect.forEach(given, (each) => Execution.giveUp(each, "expired"), { discard: true }))
  })
}
