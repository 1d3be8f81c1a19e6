// Resumes a stored run on the node that holds its lease: restores it, and executes it from its journal.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Owner from "@svc-runtime/domain/Owner"
import * as TraceContext from "@svc-runtime/telemetry/TraceContext"
import { Effect, Stream } from "effect"
import * as NewRun from "../NewRun.ts"
import type { RunCommand } from "../RunCommand.ts"
import { RunHandedOver, unstorable } from "../RunErrors.ts"
import type { RunHandle } from "../RunHandle.ts"
import * as RunLogLines from "../RunLogLines.ts"
import type { RunMode, Runners } from "../Runners.ts"
import type { RunLeases } from "../store/RunLeases.ts"
import type { RunLifecycle } from "../store/RunLifecycle.ts"
import type { RunSnapshot } from "../store/RunReads.ts"
import * as Cancellation from "./Cancellation.ts"
import * as Execution from "./Execution.ts"
import type * as Reclaims from "./Reclaims.ts"
import type { CancelRequest } from "./RunEngine.ts"
import * as UnrecoverableRun from "./UnrecoverableRun.ts"

export interface Dependencies {
  readonly runs: RunLeases["Service"] & RunLifecycle["Service"]
  readonly runners: Runners["Service"]
  readonly reclaims: ReturnType<typeof Reclaims.make>
  readonly executionParts: Execution.Dependencies
  /** Counts a run that is executed. */
  readonly count: (command: RunCommand) => void
  readonly execute: (execution: Execution.Execution) => RunHandle
  readonly cancelOf: (request: CancelRequest) => RunHandle["cancel"]
}

export const make = ({ cancelOf, count, execute, executionParts, reclaims, runners, runs }: Dependencies) => {
  /** Of a run that this node holds now. */
  const resume = (snapshot: RunSnapshot, mode: RunMode) =>
    Effect.uninterruptibleMask(Effect.fnUntraced(function*(interruptible) {
      if (reclaims.isExhausted(snapshot.run_id)) {
        const ended = yield* UnrecoverableRun.end(runs, snapshot, unstorable)
        reclaims.ended(snapshot.run_id)
        return ended
      }
      const command = yield* interruptible(runners.restore(snapshot, mode))
      const { attempt, entries, eventCount, history, output, resumedAt, run_id, session_state, status } = snapshot
      const execution = yield* Execution.make(executionParts, {
        run_id,
        attempt,
        command,
        runnable: yield* runners.prepare(command),
        begun: { session_state, history },
        isWaiting: status === "PENDING",
        createdAt: output.created_at,
        entries,
        resumedAt,
        trace: NewRun.traceOf(snapshot),
        requestId: yield* RunLogLines.requestId,
        requested: yield* TraceContext.current,
        continuedFrom: { eventCount, hasBegun: status !== "PENDING", counted: AnyRun.usageOf(output) }
      })
      if (snapshot.isCancelRequested) execution.cancellation.reason = Cancellation.reasonOf(run_id)
      count(command)
      yield* RunLogLines.started(execution, command.user_id)
      return execute(execution)
    }))

  /** The same for a caller: what cannot be executed now is left to the node that can. */
  const resumeFor = (run: RunSnapshot, mode: RunMode) =>
    Effect.catchTag(resume(run, mode), "NotRestored", ({ isTransient, reason }) => {
      const { attempt, component_id: id, kind, run_id, session_id } = run
      if (!isTransient) return UnrecoverableRun.end(runs, run, reason)
      const handedOver = Effect.fail(new RunHandedOver({ run_id, reason: "again" }))
      const handle: RunHandle = {
        _tag: "Started",
        run: { kind, run_id, session_id },
        events: Stream.fromEffect(handedOver),
        output: handedOver,
        cancel: cancelOf({ run_id, session_id, filter: { owner: Owner.anyone, component: { kind, id } } })
      }
      return Effect.as(runs.postpone({ run_id, attempt, seconds: 1 }), handle)
    })

  return { resume, resumeFor }
}
