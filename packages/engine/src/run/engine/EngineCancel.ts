// Cancel requests: those of callers are stored, and each node cancels the runs that it executes.
import type * as Run from "@svc-runtime/domain/Run"
import { Effect, Option } from "effect"
import type { DatabaseLiveness } from "../../node/DatabaseLiveness.ts"
import type { NodeSignals } from "../../node/NodeSignals.ts"
import type { LeaseAcquisition } from "../leases/LeaseAcquisition.ts"
import type { RunLeases } from "../store/RunLeases.ts"
import type * as Cancellation from "./Cancellation.ts"
import { cancelTopic } from "./EngineLoops.ts"
import type * as PausedCancel from "./PausedCancel.ts"
import type { RunEngine } from "./RunEngine.ts"

export interface Dependencies {
  readonly runs: RunLeases["Service"]
  readonly node: string
  readonly executing: ReadonlyMap<Run.Id, { readonly cancellation: Cancellation.Cancellation }>
  readonly interrupt: (...runs: ReadonlyArray<Run.Id>) => void
  readonly acquisition: LeaseAcquisition
  readonly signals: NodeSignals
  readonly liveness: DatabaseLiveness
  readonly earlyCancels: ReturnType<typeof Cancellation.makeEarlyCancels>
  readonly cancelPaused: ReturnType<typeof PausedCancel.make>
}

export const make = (
  { acquisition, cancelPaused, earlyCancels, executing, interrupt, node, runs, signals, liveness }: Dependencies
) => {
  const cancel: RunEngine["Service"]["cancel"] = Effect.fn("RunEngine.cancel")(
    function*({ filter, isLate = false, run_id, session_id }) {
      const found = Option.getOrUndefined(yield* liveness.orFail(runs.requestCancel(run_id, session_id, filter)))
      const isFound = found !== undefined
      const execution = executing.get(run_id)
      if (isFound && execution === undefined) signals.publish(cancelTopic)
      if (isFound && isLate && execution !== undefined) execution.cancellation.isLate = true
      if (isFound) interrupt(run_id)
      else if (filter.owner._tag === "Anyone") earlyCancels.add(run_id)
      if (found?.status === "PAUSED") yield* cancelPaused({ run_id, session_id: found.session_id })
      return isFound
    }
  )

  // Requests reach the node that executes a run through the store, so that any node can take them.
  const cancelRequested = Effect.flatMap(runs.cancelRequested(node), (requested) => {
    interrupt(...requested)
    // stored under this node, and not executed here
    const isUnknown = requested.some((run) => !executing.has(run) && !acquisition.isPending(run))
    return isUnknown ? acquisition.markUncertain() : Effect.void
  })

  return { cancel, cancelRequested }
}
