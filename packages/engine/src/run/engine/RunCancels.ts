// Cancel requests: those of callers are stored, and each node cancels the runs that it executes. A paused run, which no
// node executes, ends at once.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Run from "@svc-runtime/domain/Run"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, Effect, Layer, Option } from "effect"
import { DatabaseLiveness } from "../../node/DatabaseLiveness.ts"
import * as HeldCalls from "../../tool/HeldCalls.ts"
import { RunWatch } from "../events/RunWatch.ts"
import { LeaseAcquisition } from "../leases/LeaseAcquisition.ts"
import { ThisNode } from "../leases/ThisNode.ts"
import { SessionQueue } from "../queue/SessionQueue.ts"
import { Runners } from "../Runners.ts"
import { RunLeases } from "../store/RunLeases.ts"
import { RunLifecycle } from "../store/RunLifecycle.ts"
import { RunLog } from "../store/RunLog.ts"
import { RunReading } from "../store/RunReading.ts"
import * as Cancellation from "./Cancellation.ts"
import type { CancelRequest } from "./EngineRequests.ts"
import { Executions } from "./Executions.ts"
import * as PausedCancel from "./PausedCancel.ts"

/** The topic of signals between nodes that share a database. */
export const cancelTopic = "cancel"

export class RunCancels extends Context.Service<RunCancels, {
  /** Cancels a run on any node, as `RunEngine.cancel`. */
  readonly cancel: (request: CancelRequest) => Effect.Effect<boolean, StorageUnavailable>
  /** Cancels the runs of this node that have a cancel request. */
  readonly cancelRequested: Effect.Effect<void, StorageUnavailable>
  /** Ends a paused run whose cancellation was requested. Any other run stays as it is. */
  readonly cancelPaused: (run: PausedCancel.Named) => Effect.Effect<void, StorageUnavailable>
  /** Cancels the runs that have a cancel request, on any node. */
  readonly cancelRequestedEverywhere: Effect.Effect<void>
  /** Whether the cancellation of the run was requested before it was accepted. */
  readonly takeEarly: (run: Run.Id) => boolean
}>()("@svc-runtime/engine/run/engine/RunCancels") {
  static readonly layer: Layer.Layer<
    RunCancels,
    never,
    | DatabaseLiveness
    | Executions
    | LeaseAcquisition
    | RunLeases
    | RunLifecycle
    | RunLog
    | RunReading
    | RunWatch
    | Runners
    | SessionQueue
    | ThisNode
  > = Layer.effect(RunCancels, Effect.suspend(() => make))
}

const make = Effect.gen(function*() {
  const [leases, acquisition, liveness] = [yield* RunLeases, yield* LeaseAcquisition, yield* DatabaseLiveness]
  const { executing, interrupt } = yield* Executions
  const { node, signals } = yield* ThisNode
  const { changed } = yield* RunWatch
  const { releaseNext } = yield* SessionQueue
  const early = Cancellation.makeEarlyCancels()

  const cancelPaused = PausedCancel.make({
    lifecycle: yield* RunLifecycle,
    log: yield* RunLog,
    reading: yield* RunReading,
    node,
    closeApprovals: (yield* Runners).closeApprovals,
    into: (run_id, statement) => acquisition.acquireStored(run_id, statement, Effect.succeed),
    onEnd: ({ output, run_id, session_id }) =>
      HeldCalls.closeRuns(AnyRun.allIn(output)).pipe(
        Effect.andThen(Effect.sync(() => changed(run_id))),
        Effect.andThen(releaseNext(session_id, run_id))
      )
  })

  // Requests reach the node that executes a run through the store, so that any node can take them.
  const cancelRequested = Effect.flatMap(leases.cancelRequested(node), (requested) => {
    interrupt(...requested)
    // stored under this node, and not executed here
    const isUnknown = requested.some((run) => !executing.has(run) && !acquisition.isPending(run))
    return isUnknown ? acquisition.markUncertain() : Effect.void
  })

  return RunCancels.of({
    cancel: Effect.fn("RunEngine.cancel")(function*({ filter, isLate = false, run_id, session_id }) {
      const found = Option.getOrUndefined(yield* liveness.orFail(leases.requestCancel(run_id, session_id, filter)))
      const isFound = found !== undefined
      const execution = executing.get(run_id)
      if (isFound && execution === undefined) signals.publish(cancelTopic)
      if (isFound && isLate && execution !== undefined) execution.cancellation.isLate = true
      if (isFound) interrupt(run_id)
      else if (filter.owner._tag === "Anyone" && filter.owner.session_id === undefined) early.add(run_id)
      if (found?.status === "PAUSED") yield* cancelPaused({ run_id, session_id: found.session_id })
      return isFound
    }),
    cancelRequested,
    cancelPaused,
    cancelRequestedEverywhere: Effect.suspend(() => {
      signals.publish(cancelTopic)
      return Effect.ignoreCause(cancelRequested)
    }),
    takeEarly: early.take
  })
})
