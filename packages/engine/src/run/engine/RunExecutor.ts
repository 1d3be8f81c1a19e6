// Executes the runs that this node holds, each in a fiber of its own, in these steps: it waits for its turn in its
// session, works, stores its end, and leaves the node. When the executor is closed it waits for the runs for a limited
// time, and does not change the others.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as ModelRequests from "@svc-runtime/telemetry/ModelRequests"
import * as RunSpan from "@svc-runtime/telemetry/RunSpan"
import { Cause, Clock, Context, Deferred, Effect, Exit, Layer, Option, Stream } from "effect"
import { Spending } from "../../limits/Spending.ts"
import * as CurrentWork from "../../node/CurrentWork.ts"
import { forkDraining } from "../../node/forkDraining.ts"
import * as HeldCalls from "../../tool/HeldCalls.ts"
import { RunWatch } from "../events/RunWatch.ts"
import * as LargeStateThrottle from "../queue/LargeStateThrottle.ts"
import { SessionQueue } from "../queue/SessionQueue.ts"
import { RunHandedOver } from "../RunErrors.ts"
import type { RunHandle } from "../RunHandle.ts"
import * as RunLogLines from "../RunLogLines.ts"
import type { RunResult } from "../Runnable.ts"
import { RunLog } from "../store/RunLog.ts"
import { BrokenOffRuns } from "./BrokenOffRuns.ts"
import { EngineSettings } from "./EngineSettings.ts"
import * as Execution from "./Execution.ts"
import { Executions } from "./Executions.ts"
import { RunCancels } from "./RunCancels.ts"

export class RunExecutor extends Context.Service<RunExecutor, {
  /** Begins to execute the run. */
  readonly execute: (execution: Execution.Execution) => RunHandle
}>()("@svc-runtime/engine/run/engine/RunExecutor") {
  static readonly layer: Layer.Layer<
    RunExecutor,
    never,
    BrokenOffRuns | EngineSettings | Executions | RunCancels | RunLog | RunWatch | SessionQueue
  > = Layer.effect(RunExecutor, Effect.suspend(() => make))
}

/** The time limit for finding out why a run was lost. */
const readTimeout = "2 seconds"

const isElsewhere = ({ givenUp }: Execution.Execution) => givenUp === "lost" || givenUp === "stopping"

const make = Effect.gen(function*() {
  const { context, database, drainTimeout } = yield* EngineSettings
  const [log, queue, executions] = [yield* RunLog, yield* SessionQueue, yield* Executions]
  const [{ eventsOf }, broken, cancels] = [yield* RunWatch, yield* BrokenOffRuns, yield* RunCancels]
  const { executing } = executions
  const spending = Option.getOrUndefined(yield* Effect.serviceOption(Spending))
  const throttle = LargeStateThrottle.make()
  const fork = yield* forkDraining<AnyRun.Output, StorageUnavailable | RunHandedOver>({
    timeout: drainTimeout,
    what: "run",
    context
  })
  let isClosing = false
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isClosing = true
    })
  )

  // 1. The turn. A run that is cancelled while it waits ends at once, and changes nothing in its session.

  const turnOf = ({ isWaiting, command: { session_id }, run_id, snapshot }: Execution.Execution) =>
    isWaiting
      ? Effect.map(Effect.exit(Effect.interruptible(queue.wait({ run_id, session_id }))), Exit.getSuccess)
      : Effect.succeedSome(snapshot)

  /** A run that is cancelled meanwhile ends at once. */
  const throttled = ({ command: { session_id } }: Execution.Execution) =>
    Effect.exit(Effect.interruptible(throttle.wait(session_id)))

  // 2. The work.

  const perform = Effect.fnUntraced(function*(execution: Execution.Execution) {
    const { cancellation, continuedFrom, createdAt, events, isWaiting, job, requestId } = execution
    const { requested, runnable, trace } = execution
    const waitingSince = isWaiting ? (yield* Clock.Clock).currentTimeNanosUnsafe() : undefined
    const turn = yield* turnOf(execution)
    if (Option.isNone(turn) && cancellation.reason === undefined) return Option.none<RunResult>()
    const snapshot = Option.getOrElse(turn, () => execution.snapshot)
    execution.stateLength = LargeStateThrottle.lengthOf(snapshot.session_state)
    if (executing.size > 1) yield* throttled(execution)
    const running = runnable.run({
      snapshot,
      createdAt,
      emit: events.publish,
      cancellation,
      journal: Execution.journalOf(log, execution),
      memberHistory: Execution.memberHistoryIn(log, execution.run_id),
      trace: trace && {
        trace,
        database,
        isResumed: continuedFrom?.hasBegun === true,
        requested,
        requestId,
        job,
        startedAt: Execution.startOf(execution),
        waitingSince
      },
      isContinued: continuedFrom?.hasBegun === true
    })
    const ended = yield* ModelRequests.lateWhen(running, () => cancellation.isLate === true)
    return Option.isSome(turn)
      ? ended
      : Option.map(ended, (ended): RunResult => ({ ...ended, stateChanges: undefined }))
  })

  // 3. The end, which is stored before it is shown.

  const finish =
    (execution: Execution.Execution) =>
    (end: Option.Option<RunResult>): Effect.Effect<AnyRun.Output, StorageUnavailable> => {
      if (Option.isNone(end)) return Effect.interrupt
      const storing = Execution.finish({ log, queue }, execution, end.value, () => isClosing)
      const { stateLength, command: { session_id } } = execution
      const throttling = executing.size > 1 ? throttle.after(session_id, stateLength, storing) : storing
      return RunSpan.afterEnd(throttling, () => Execution.placeOf(execution, end.value.output, database))
    }

  // 4. Without an end: callers get the error that says where the run continues.

  /** A session that is deleted takes its runs with it. */
  const isThere = (run: Run.Id) =>
    log.readEvents(undefined, run, { owner: Owner.anyone }, { after: -1, limit: 0 }).pipe(
      Effect.timeoutOption(readTimeout),
      Effect.matchCause({
        onFailure: () => true,
        onSuccess: (found) => Option.isNone(found) || Option.isSome(found.value)
      })
    )

  const reasonOf = Effect.fnUntraced(function*({ givenUp, run_id }: Execution.Execution) {
    if (givenUp === "lost") return (yield* isThere(run_id)) ? "elsewhere" as const : "deleted" as const
    return isClosing || givenUp === "stopping" ? "stopping" as const : "again" as const
  })

  /** Fails the waits for the run with the reason. */
  const brokenOff = (execution: Execution.Execution) =>
    Effect.fnUntraced(function*(cause: Cause.Cause<StorageUnavailable>) {
      const { attempt, run_id, command: { session_id } } = execution
      const reason = yield* reasonOf(execution)
      // an end that could not be stored is logged already
      if (Cause.hasDies(cause) && !execution.isEnding) {
        yield* Effect.annotateLogs(Effect.logError("The execution of a run broke off", cause), {
          run_id,
          session_id,
          attempt
        })
      }
      return yield* new RunHandedOver({ run_id, reason })
    })

  // 5. Afterwards: callers get the output, the next run of the session has its turn, and resources are closed.

  /** The run is stored under this node and has not ended: the node acquires it again. */
  const breakOff = ({ run_id }: Execution.Execution) =>
    Effect.map(Monotonic.millis, (time) => broken.brokeOff(run_id, time))

  /** A cancel request may have come while the run paused. */
  const checkPaused = ({ run_id, session_id }: AnyRun.Output) =>
    Effect.catchCause(
      cancels.cancelPaused({ run_id, session_id: Session.Id.make(session_id) }),
      (cause) => Effect.logWarning("The cancellation of a paused run could not be checked", cause)
    )

  const afterEnd = (output: AnyRun.Output) =>
    output.status === "PAUSED" ? checkPaused(output) : HeldCalls.closeRuns(AnyRun.allIn(output))

  const leave = (
    execution: Execution.Execution,
    exit: Exit.Exit<AnyRun.Output, StorageUnavailable | RunHandedOver>
  ) => {
    const { command: { lifetime, session_id }, done, events, run_id } = execution
    const isEnded = exit._tag === "Success"
    executions.remove(execution)
    if (isEnded) broken.ended(run_id)
    return Deferred.done(done, exit).pipe(
      Effect.andThen(Effect.sync(() => events.feed.end(isEnded ? "complete" : "broken"))),
      Effect.andThen(isEnded || isClosing || isElsewhere(execution) ? Effect.void : breakOff(execution)),
      Effect.andThen(queue.releaseNext(session_id, run_id)),
      Effect.andThen(isEnded ? afterEnd(exit.value) : Effect.void),
      Effect.andThen(lifetime?.end ?? Effect.void)
    )
  }

  const lifeOf = (execution: Execution.Execution) => {
    const purse = spending?.purseOf({
      id: execution.run_id,
      attempt: execution.attempt,
      user_id: execution.user_id,
      component: execution.runnable.component
    })
    return RunLogLines.around(
      execution,
      Effect.flatMap(perform(execution), finish(execution)).pipe(
        Effect.catchCause(brokenOff(execution)),
        CurrentWork.within({
          isClosing: () => isClosing,
          isFull: execution.events.isFull,
          hasRoom: execution.events.hasRoom,
          purse
        }),
        Effect.onExit((exit) =>
          Effect.andThen(
            leave(execution, exit),
            Exit.isSuccess(exit) && purse !== undefined ? purse.ended : Effect.void
          )
        )
      )
    )
  }

  const handleOf = (execution: Execution.Execution): RunHandle => {
    const { command: { session_id, stream }, done, isWaiting, run_id, runnable: { component }, snapshot } = execution
    const filter = { owner: Owner.anyone, component }
    return {
      _tag: "Started",
      run: { kind: component.kind, run_id, session_id },
      events: stream ? eventsOf(execution) : Stream.empty,
      sessionState: isWaiting ? undefined : snapshot.session_state,
      output: Deferred.await(done),
      cancel: Effect.asVoid(Effect.suspend(() => cancels.cancel({ run_id, session_id, filter })))
    }
  }

  return RunExecutor.of({
    execute: (execution) => {
      // before the fork: a run can emit an event, and be cancelled because of it, before the fork returns
      executions.add(execution)
      execution.events.begin()
      execution.fiber = fork(lifeOf(execution))
      execution.command.lifetime?.handOver()
      // it may have been cancelled or given up before there was a fiber
      if (execution.cancellation.reason !== undefined || execution.givenUp !== undefined) {
        execution.fiber.interruptUnsafe()
      }
      return handleOf(execution)
    }
  })
})
