// Acquires a paused or failed run for the caller who continues it, and executes it again.
import { Context, Effect, Layer, Option } from "effect"
import { DatabaseLiveness } from "../../node/DatabaseLiveness.ts"
import * as NodeHeartbeat from "../../node/NodeHeartbeat.ts"
import { LeaseAcquisition } from "../leases/LeaseAcquisition.ts"
import { ThisNode } from "../leases/ThisNode.ts"
import * as StartLimits from "../StartLimits.ts"
import { RunLifecycle } from "../store/RunLifecycle.ts"
import type { Continue } from "./EngineRequests.ts"
import { EngineSettings } from "./EngineSettings.ts"
import { RunResume } from "./RunResume.ts"

export class RunContinuation extends Context.Service<RunContinuation, {
  readonly continue: Continue
}>()("@svc-runtime/engine/run/engine/RunContinuation") {
  static readonly layer: Layer.Layer<
    RunContinuation,
    never,
    DatabaseLiveness | EngineSettings | LeaseAcquisition | RunLifecycle | RunResume | ThisNode
  > = Layer.effect(RunContinuation, Effect.suspend(() => make))
}

const make = Effect.gen(function*() {
  const [lifecycle, { startLimits }] = [yield* RunLifecycle, yield* EngineSettings]
  const [acquisition, liveness] = [yield* LeaseAcquisition, yield* DatabaseLiveness]
  const { heartbeat, node } = yield* ThisNode
  const { resumeFor } = yield* RunResume

  return RunContinuation.of({
    continue: ({ claim, decided, entry, snapshot, ...mode }) =>
      Effect.suspend(() => {
        const { attempt, entries, run_id } = snapshot
        const limited = StartLimits.of(
          { ...startLimits, whenExceeded: "refuse" },
          snapshot,
          StartLimits.ownOf(mode.resolved?.component)
        )
        const component = { kind: snapshot.kind, id: snapshot.component_id }
        const payer = { id: run_id, attempt, user_id: snapshot.user_id, component }
        const resumption = { run_id, attempt, node, entry, claim, decided, limited, payer }
        return Effect.uninterruptible(
          acquisition.acquireStored(
            run_id,
            liveness.orDetach(
              (isCallerRefused) =>
                NodeHeartbeat.whileAlive(heartbeat, lifecycle.resume({ ...resumption, isCallerRefused })),
              { run_id, onEnd: acquisition.markUncertain(run_id) }
            ),
            (held) => {
              if (Option.isNone(held)) return Effect.succeedNone
              const all = entry === undefined ? entries : [...entries, entry]
              return Effect.asSome(
                resumeFor({ ...snapshot, attempt: held.value, entries: all, resumedAt: entries.length }, mode)
              )
            }
          )
        )
      })
  })
})
