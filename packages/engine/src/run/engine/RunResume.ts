// Resumes a stored run on the node that holds its lease: restores it, and executes it from its journal.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Owner from "@svc-runtime/domain/Owner"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as TraceContext from "@svc-runtime/telemetry/TraceContext"
import { Context, Effect, Layer, Stream } from "effect"
import * as NewRun from "../NewRun.ts"
import { RunHandedOver, unstorable } from "../RunErrors.ts"
import type { RunHandle } from "../RunHandle.ts"
import * as RunLogLines from "../RunLogLines.ts"
import { type NotRestored, type RunMode, Runners } from "../Runners.ts"
import { RunLeases } from "../store/RunLeases.ts"
import type { RunLifecycle } from "../store/RunLifecycle.ts"
import type { RunSnapshot } from "../store/RunReads.ts"
import { BrokenOffRuns } from "./BrokenOffRuns.ts"
import * as Cancellation from "./Cancellation.ts"
import { EngineAdmission } from "./EngineAdmission.ts"
import { ExecutionMaker } from "./ExecutionMaker.ts"
import { RunCancels } from "./RunCancels.ts"
import { RunExecutor } from "./RunExecutor.ts"
import * as UnrecoverableRun from "./UnrecoverableRun.ts"

export class RunResume extends Context.Service<RunResume, {
  /** Resumes a run that this node holds now. */
  readonly resume: (snapshot: RunSnapshot, mode: RunMode) => Effect.Effect<RunHandle, NotRestored | StorageUnavailable>
  /** The same for a caller: what cannot be executed now is left to the node that can. */
  readonly resumeFor: (snapshot: RunSnapshot, mode: RunMode) => Effect.Effect<RunHandle, StorageUnavailable>
}>()("@svc-runtime/engine/run/engine/RunResume") {
  static readonly layer: Layer.Layer<
    RunResume,
    never,
    EngineAdmission | ExecutionMaker | BrokenOffRuns | RunCancels | RunExecutor | RunLeases | RunLifecycle | Runners
  > = Layer.effect(RunResume, Effect.suspend(() => make))
}

const make = Effect.gen(function*() {
  const [leases, runners, ports] = [yield* RunLeases, yield* Runners, yield* UnrecoverableRun.ports]
  const [brokenOff, executions, cancels] = [yield* BrokenOffRuns, yield* ExecutionMaker, yield* RunCancels]
  const { count } = yield* EngineAdmission
  const { execute } = yield* RunExecutor

  const resume = (snapshot: RunSnapshot, mode: RunMode) =>
    Effect.uninterruptibleMask(Effect.fnUntraced(function*(interruptible) {
      if (brokenOff.isExhausted(snapshot.run_id)) {
        const ended = yield* UnrecoverableRun.end(ports, snapshot, unstorable)
        brokenOff.ended(snapshot.run_id)
        return ended
      }
      const command = yield* interruptible(runners.restore(snapshot, mode))
      const { attempt, entries, eventCount, history, lastWord, output, resumedAt, run_id, session_state } = snapshot
      const { status } = snapshot
      const execution = yield* executions.make({
        run_id,
        attempt,
        command,
        user_id: snapshot.user_id,
        runnable: yield* runners.prepare(command),
        snapshot: { session_state, history },
        isWaiting: status === "PENDING",
        createdAt: output.created_at,
        entries,
        resumedAt,
        trace: NewRun.traceOf(snapshot),
        requestId: yield* RunLogLines.requestId,
        requested: yield* TraceContext.current,
        continuedFrom: { eventCount, lastWord, hasBegun: status !== "PENDING", counted: AnyRun.usageOf(output) }
      })
      if (snapshot.isCancelRequested) execution.cancellation.reason = Cancellation.reasonOf(run_id)
      count(command)
      yield* RunLogLines.started(execution, command.user_id)
      return execute(execution)
    }))

  const resumeFor = (run: RunSnapshot, mode: RunMode) =>
    Effect.catchTag(resume(run, mode), "NotRestored", ({ isTransient, reason }) => {
      const { attempt, component_id: id, kind, run_id, session_id } = run
      if (!isTransient) return UnrecoverableRun.end(ports, run, reason)
      const handedOver = Effect.fail(new RunHandedOver({ run_id, reason: "again" }))
      const handle: RunHandle = {
        _tag: "Started",
        run: { kind, run_id, session_id },
        events: Stream.fromEffect(handedOver),
        output: handedOver,
        cancel: Effect.asVoid(
          Effect.suspend(() =>
            cancels.cancel({ run_id, session_id, filter: { owner: Owner.anyone, component: { kind, id } } })
          )
        )
      }
      return Effect.as(leases.postpone({ run_id, attempt, seconds: 1 }), handle)
    })

  return RunResume.of({ resume, resumeFor })
})
