// Stops a node that could not store a heartbeat for NODE_TIMEOUT: other nodes may have acquired what it executes. It
// stops its runs and accepts none until a heartbeat is stored again. Runs that wait for the store, or that are
// in a call with `effects: "once"`, continue: their writes are fenced, and the outcome of such a call is still useful.
//
// A clock that jumps and a process that was suspended look the same at first. Then a heartbeat can be stored at once,
// and the node stops only the runs that other nodes have acquired.
import type * as Run from "@svc-runtime/domain/Run"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { type Duration, Effect } from "effect"
import type { NodeHeartbeat } from "../../node/NodeHeartbeat.ts"
import * as Execution from "../engine/Execution.ts"

export interface Options {
  readonly heartbeat: NodeHeartbeat
  readonly executing: ReadonlyMap<Run.Id, Execution.Execution>
  /** Stops the runs that other nodes have acquired. */
  readonly giveUpLost: Effect.Effect<void, StorageUnavailable>
  /** How long the first heartbeat after a gap may take. */
  readonly timeout: Duration.Input
  /** The loss of the database is logged already. */
  readonly isStorageAway: () => boolean
  /** Called when heartbeats are stored again. */
  readonly onRecovered: Effect.Effect<void>
}

const isIdle = ({ isEnding, lease, writing }: Execution.Execution) => !isEnding && writing === 0 && !lease.isOccupied()

/** The task of a background loop. */
export const make = (options: Options): Effect.Effect<void> => {
  const { executing, giveUpLost, heartbeat, isStorageAway, onRecovered, timeout } = options
  let [hadExpired, wasLogged] = [false, false]
  /** Runs since the last heartbeat. */
  let givenUp = 0

  /** True if heartbeats were only missing for a while, and are stored again. */
  const isOver = Effect.suspend(() => {
    const seconds = Math.round(heartbeat.age())
    return Effect.andThen(heartbeat.send, giveUpLost).pipe(
      Effect.timeout(timeout),
      Effect.andThen(Effect.logWarning(
        `This node sent no heartbeat for ${seconds} s: it was suspended or blocked, or its clock jumped. It continues the ` +
          "runs that no other node has taken over"
      )),
      Effect.match({ onFailure: () => false, onSuccess: () => true })
    )
  })

  const expired = Effect.suspend(() => {
    const given = [...executing.values()].filter((execution) => isIdle(execution) && execution.givenUp === undefined)
    const isLogged = !wasLogged && (given.length > 0 || (!hadExpired && !isStorageAway()))
    const text = `This node could not store a heartbeat for ${Math.round(heartbeat.age())} s (NODE_TIMEOUT). Other ` +
      "nodes may take over its runs: it refuses new ones and gives up its runs: " +
      `${given.length} now, and others when their steps are stored`
    const log = isLogged ? Effect.logWithLevel(isStorageAway() ? "Warn" : "Error")(text) : Effect.void
    hadExpired = true
    wasLogged ||= isLogged
    givenUp += given.length
    return Effect.andThen(log, Effect.forEach(given, (each) => Execution.giveUp(each, "expired"), { discard: true }))
  })

  return Effect.suspend(() => {
    if (!heartbeat.hasExpired()) {
      if (!hadExpired) return Effect.void
      const text = `Heartbeats are stored again: this node accepts and executes runs. It has given up ${givenUp} run(s)`
      const log = wasLogged ? Effect.logWarning(text) : Effect.void
      hadExpired = wasLogged = false
      givenUp = 0
      return Effect.andThen(onRecovered, log)
    }
    if (hadExpired) return expired
    // another heartbeat can be stored while this one fails
    return Effect.flatMap(isOver, (over) => over || !heartbeat.hasExpired() ? Effect.void : expired)
  })
}
