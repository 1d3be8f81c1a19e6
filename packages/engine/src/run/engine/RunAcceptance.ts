// Accepts a run: stores it under a new lease, and executes it. A run that is stored although its caller got an error is
// ended, unless its caller repeats the start: then it is executed, and the repeated start finds it.
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as RunSpan from "@svc-runtime/telemetry/RunSpan"
import * as TraceContext from "@svc-runtime/telemetry/TraceContext"
import { Context, Effect, Layer } from "effect"
import { NewId } from "../../NewId.ts"
import { DatabaseLiveness } from "../../node/DatabaseLiveness.ts"
import * as NodeHeartbeat from "../../node/NodeHeartbeat.ts"
import { now } from "../../now.ts"
import { StoredFormat } from "../journal/StoredFormat.ts"
import { LeaseAcquisition } from "../leases/LeaseAcquisition.ts"
import { ThisNode } from "../leases/ThisNode.ts"
import * as NewRun from "../NewRun.ts"
import type { RunCommand } from "../RunCommand.ts"
import * as RunLogLines from "../RunLogLines.ts"
import { Runners } from "../Runners.ts"
import { RunLifecycle } from "../store/RunLifecycle.ts"
import * as Cancellation from "./Cancellation.ts"
import { EngineAdmission } from "./EngineAdmission.ts"
import type { Start } from "./EngineRequests.ts"
import { EngineSettings } from "./EngineSettings.ts"
import { ExecutionMaker } from "./ExecutionMaker.ts"
import { RunCancels } from "./RunCancels.ts"
import { RunExecutor } from "./RunExecutor.ts"

/** A repeated request has its idempotency key. */
const isRepeated = ({ claim, isRepeated = false }: RunCommand): boolean => isRepeated || claim !== undefined

const tooUncertain = Effect.suspend(() =>
  Effect.fail(
    new StorageUnavailable({ cause: "Of too many runs it is unknown whether they are stored" })
  )
)

export class RunAcceptance extends Context.Service<RunAcceptance, {
  readonly start: Start
}>()("@svc-runtime/engine/run/engine/RunAcceptance") {
  static readonly layer: Layer.Layer<
    RunAcceptance,
    never,
    | DatabaseLiveness
    | EngineAdmission
    | EngineSettings
    | ExecutionMaker
    | LeaseAcquisition
    | RunCancels
    | RunExecutor
    | RunLifecycle
    | Runners
    | ThisNode
  > = Layer.effect(RunAcceptance, Effect.suspend(() => make))
}

const make = Effect.gen(function*() {
  const [lifecycle, format, { startLimits }] = [yield* RunLifecycle, yield* StoredFormat, yield* EngineSettings]
  const [runners, acquisition, liveness] = [yield* Runners, yield* LeaseAcquisition, yield* DatabaseLiveness]
  const { heartbeat, node } = yield* ThisNode
  const { cancelRequestedEverywhere, takeEarly } = yield* RunCancels
  const { admit } = yield* EngineAdmission
  const executions = yield* ExecutionMaker
  const newId = yield* NewId
  const { execute } = yield* RunExecutor

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
      const execution = yield* executions.make({
        run_id,
        attempt: 1,
        command,
        user_id: command.user_id ?? null,
        runnable,
        createdAt,
        entries,
        resumedAt: undefined,
        continuedFrom: undefined,
        requestId: yield* RunLogLines.requestId,
        trace,
        job: hasOwnTrace ? yield* TraceContext.current : undefined,
        snapshot: { session_state: {}, history: [] },
        isWaiting: false
      })
      const opening = execution.events.isKept ? execution.events.add(runnable.startEvent) : undefined
      const begin_id = newId()
      const limits = startLimits
      const newRun = NewRun.of(command, runnable, { begin_id, node, createdAt, format, limits, opening, trace })
      const mayBeStored = isRepeated(command)
        ? acquisition.markUncertain(run_id)
        : acquisition.refuse(run_id, begin_id)
      const begin = liveness.orDetach(
        (isCallerRefused) => lifecycle.create({ ...newRun, isCallerRefused }),
        { run_id, onEnd: mayBeStored }
      ).pipe(
        // a node that stops promises nothing about the run, and another one executes it
        Effect.tapErrorTag(
          "StorageUnavailable",
          ({ uncertainRun }) => uncertainRun === undefined ? mayBeStored : Effect.void
        )
      )
      return yield* acquisition.acquire(run_id, begin, ({ isQueued: isWaiting, ...snapshot }) => {
        if (opening !== undefined) execution.events.stored([opening])
        if (takeEarly(run_id)) execution.cancellation.reason = Cancellation.reasonOf(run_id)
        execution.snapshot = snapshot
        execution.isWaiting = isWaiting
        const handle = Effect.map(RunLogLines.started(execution, command.user_id), () => execute(execution))
        if (!isWaiting || !NewRun.cancelsOthers(command)) return handle
        return Effect.andThen(cancelRequestedEverywhere, handle)
      })
    }))
  })

  return RunAcceptance.of({ start: (command) => admit(command, accept(command)) })
})
