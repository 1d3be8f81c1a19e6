// Accepts a run: stores it under a new lease, and executes it.
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as RunSpan from "@svc-runtime/telemetry/RunSpan"
import * as TraceContext from "@svc-runtime/telemetry/TraceContext"
import { Effect } from "effect"
import type * as DatabaseLiveness from "../../node/DatabaseLiveness.ts"
import * as NodeHeartbeat from "../../node/NodeHeartbeat.ts"
import { now } from "../../now.ts"
import type { Format } from "../journal/StoredFormat.ts"
import type * as LeaseAcquisition from "../leases/LeaseAcquisition.ts"
import * as NewRun from "../NewRun.ts"
import type { RunCommand } from "../RunCommand.ts"
import type { RunHandle } from "../RunHandle.ts"
import * as RunLogLines from "../RunLogLines.ts"
import type { Runners } from "../Runners.ts"
import type * as StartLimits from "../StartLimits.ts"
import type { RunLifecycle } from "../store/RunLifecycle.ts"
import * as Cancellation from "./Cancellation.ts"
import * as Execution from "./Execution.ts"

const tooUncertain = Effect.suspend(() =>
  Effect.fail(
    new StorageUnavailable({ cause: "Of too many refused runs it is unknown whether they are stored" })
  )
)

export interface Dependencies {
  readonly runs: RunLifecycle["Service"]
  readonly runners: Runners["Service"]
  readonly node: string
  readonly format: Format
  readonly limits: StartLimits.Options
  readonly heartbeat: NodeHeartbeat.NodeHeartbeat
  readonly acquisition: Effect.Success<ReturnType<typeof LeaseAcquisition.make>>
  readonly liveness: ReturnType<typeof DatabaseLiveness.make>
  readonly earlyCancels: ReturnType<typeof Cancellation.makeEarlyCancels>
  readonly executionParts: Execution.Dependencies
  readonly execute: (execution: Execution.Execution) => RunHandle
  /** Cancels the other runs of the session, on any node. */
  readonly interruptOthers: Effect.Effect<void>
}

export const make = (
  {
    acquisition,
    execute,
    executionParts,
    format,
    earlyCancels,
    interruptOthers,
    heartbeat,
    limits,
    node,
    runners,
    runs,
    liveness
  }: Dependencies
) => {
  // Uninterruptible: a disconnect must not leave a stored run that no node executes.
  const accept = Effect.fnUntraced(function*(command: RunCommand) {
    if (heartbeat.hasExpired()) return yield* NodeHeartbeat.expired
    if (acquisition.isFull()) return yield* tooUncertain
    const runnable = yield* runners.prepare(command)
    return yield* Effect.uninterruptible(Effect.gen(function*() {
      const createdAt = yield* now
      const { hasOwnTrace = false, run_id } = command
      const { entries } = runnable
      const trace = yield* (hasOwnTrace ? TraceContext.beginApart(RunSpan.traceIdOf(run_id)) : TraceContext.begin)
      const execution = yield* Execution.make(executionParts, {
        run_id,
        attempt: 1,
        command,
        runnable,
        createdAt,
        entries,
        resumedAt: undefined,
        continuedFrom: undefined,
        requestId: yield* RunLogLines.requestId,
        trace,
        job: hasOwnTrace ? yield* TraceContext.current : undefined,
        begun: { session_state: {}, history: [] },
        isWaiting: false
      })
      const opening = execution.events.isKept ? execution.events.add(runnable.startEvent) : undefined
      const newRun = NewRun.of(command, runnable, { node, createdAt, format, limits, opening, trace })
      let isDetached = false
      const refuse = Effect.suspend(() => acquisition.refuse(run_id, { hasEnded: !isDetached }))
      const begin = liveness.orDetach(runs.create({ ...newRun, isCallerRefused: () => isDetached }), {
        onDetach: () => {
          isDetached = true
        },
        onEnd: Effect.suspend(() => {
          isDetached = false
          return refuse
        })
      }).pipe(Effect.tapErrorTag("StorageUnavailable", () => refuse))
      return yield* acquisition.acquire(run_id, begin, ({ isQueued: isWaiting, ...begun }) => {
        if (opening !== undefined) execution.events.stored([opening])
        if (earlyCancels.take(run_id)) execution.cancellation.reason = Cancellation.reasonOf(run_id)
        execution.begun = begun
        execution.isWaiting = isWaiting
        const handle = Effect.map(RunLogLines.started(execution, command.user_id), () => execute(execution))
        if (!isWaiting || !NewRun.cancelsOthers(command)) return handle
        return Effect.andThen(interruptOthers, handle)
      })
    }))
  })

  return accept
}
