// Executes the runs that this node holds, each in a fiber of its own, from its turn in its session to its end. When it
// is closed it waits for them for a limited time, and does not change the others.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as ModelRequests from "@svc-runtime/telemetry/ModelRequests"
import * as RunSpan from "@svc-runtime/telemetry/RunSpan"
import { Cause, Clock, Deferred, type Duration, Effect, Exit, Latch, Option, Stream } from "effect"
import { forkDraining } from "../../node/forkDraining.ts"
import { IsClosing } from "../../node/retryUntilAvailable.ts"
import * as LargeStateThrottle from "../queue/LargeStateThrottle.ts"
import type { SessionQueue } from "../queue/SessionQueue.ts"
import { RunHandedOver } from "../RunErrors.ts"
import type { RunHandle } from "../RunHandle.ts"
import * as RunLogLines from "../RunLogLines.ts"
import type { RunResult } from "../Runnable.ts"
import type { RunLog } from "../store/RunLog.ts"
import * as Cancellation from "./Cancellation.ts"
import * as Execution from "./Execution.ts"
import type { CancelRequest } from "./RunEngine.ts"

export interface Options {
  /** The database of the runs. */
  readonly database: Ids.DatabaseId | undefined
  readonly runs: RunLog["Service"]
  readonly turns: SessionQueue
  readonly drainTimeout: Duration.Input
  /** The events for the caller who started a streamed run. */
  readonly eventsOf: (execution: Execution.Execution) => RunHandle["events"]
  /** For the caller who started the run. */
  readonly cancelOf: (request: CancelRequest) => RunHandle["cancel"]
  /** Called when it is stored. */
  readonly onPause: (output: AnyRun.Output) => Effect.Effect<unknown>
  /** Called when an execution stops although its run is stored under this node and has not ended. */
  readonly onUnstored: (execution: Execution.Execution) => Effect.Effect<void>
  readonly onStored: (run: Run.Id) => void
}

/** The time limit for finding out why a run was lost. */
const readTimeout = "2 seconds"

export const make = Effect.fnUntraced(function*(
  { cancelOf, database, drainTimeout, eventsOf, onPause, onStored, onUnstored, runs, turns }: Options
) {
  const executing = new Map<Run.Id, Execution.Execution>()
  const throttle = LargeStateThrottle.make()
  /** Open while something is executed. */
  const isBusy = yield* Latch.make(false)
  const fork = yield* forkDraining<AnyRun.Output, StorageUnavailable | RunHandedOver>({
    timeout: drainTimeout,
    what: "run"
  })
  let isClosing = false
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isClosing = true
    })
  )

  /** All of them are interrupted before the first one ends: its end could dequeue the next one. */
  const interrupt = (...wanted: ReadonlyArray<Run.Id>) => {
    const found = wanted.flatMap((run) => executing.get(run) ?? [])
      .filter(({ cancellation }) => cancellation.reason === undefined)
    for (const { cancellation, run_id } of found) cancellation.reason = Cancellation.reasonOf(run_id)
    for (const { fiber } of found) fiber?.interruptUnsafe()
  }

  /** A run that is cancelled while it waits ends at once, and changes nothing in its session. */
  const turnOf = ({ begun, isWaiting, command: { session_id }, run_id }: Execution.Execution) =>
    isWaiting
      ? Effect.map(Effect.exit(Effect.interruptible(turns.wait({ run_id, session_id }))), Exit.getSuccess)
      : Effect.succeedSome(begun)

  /** A run that is cancelled meanwhile ends at once. */
  const throttled = ({ command: { session_id } }: Execution.Execution) =>
    Effect.exit(Effect.interruptible(throttle.wait(session_id)))

  const perform = Effect.fnUntraced(function*(execution: Execution.Execution) {
    const { begun, cancellation, continuedFrom, createdAt, events, isWaiting, job, requestId } = execution
    const { requested, runnable, trace } = execution
    const waitingSince = isWaiting ? (yield* Clock.Clock).currentTimeNanosUnsafe() : undefined
    const turn = yield* turnOf(execution)
    if (Option.isNone(turn) && cancellation.reason === undefined) return Option.none<RunResult>()
    const snapshot = Option.getOrElse(turn, () => begun)
    execution.stateLength = LargeStateThrottle.lengthOf(snapshot.session_state)
    if (executing.size > 1) yield* throttled(execution)
    const running = runnable.run({
      snapshot,
      createdAt,
      emit: events.publish,
      cancellation,
      journal: Execution.journalOf(runs, execution),
      memberHistory: Execution.memberHistoryIn(runs, execution.run_id),
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

  const ended = (execution: Execution.Execution) => {
    // it may be executed again already
    if (executing.get(execution.run_id) === execution) executing.delete(execution.run_id)
    if (executing.size === 0) isBusy.closeUnsafe()
  }

  const finish =
    (execution: Execution.Execution) =>
    (end: Option.Option<RunResult>): Effect.Effect<AnyRun.Output, StorageUnavailable> => {
      if (Option.isNone(end)) return Effect.interrupt
      const storing = Execution.finish({ runs, queue: turns }, execution, end.value, () => isClosing)
      const { stateLength, command: { session_id } } = execution
      const throttling = executing.size > 1 ? throttle.after(session_id, stateLength, storing) : storing
      return RunSpan.afterEnd(throttling, () => Execution.placeOf(execution, end.value.output, database))
    }

  /** A session that is deleted takes its runs with it. */
  const isThere = (run: Run.Id) =>
    runs.readEvents(undefined, run, { owner: Owner.anyone }, { after: -1, limit: 0 }).pipe(
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

  const isElsewhere = ({ givenUp }: Execution.Execution) => givenUp === "lost" || givenUp === "stopping"

  const execute = (execution: Execution.Execution): RunHandle => {
    const { begun, cancellation, command: { lifetime, session_id, stream }, done, events, isWaiting, run_id } =
      execution
    const { runnable: { component } } = execution
    // before the fork: a run can emit an event, and be cancelled because of it, before the fork returns
    executing.set(run_id, execution)
    isBusy.openUnsafe()
    execution.fiber = fork(RunLogLines.around(
      execution,
      Effect.flatMap(perform(execution), finish(execution)).pipe(
        Effect.catchCause(brokenOff(execution)),
        Effect.provideService(IsClosing, () => isClosing),
        Effect.onExit((exit) => {
          ended(execution)
          if (exit._tag === "Success") onStored(run_id)
          return Deferred.done(done, exit).pipe(
            Effect.andThen(Effect.sync(() => events.feed.end(exit._tag === "Success" ? "complete" : "broken"))),
            Effect.andThen(
              exit._tag === "Success" || isClosing || isElsewhere(execution) ? Effect.void : onUnstored(execution)
            ),
            Effect.andThen(turns.releaseNext(session_id, run_id)),
            Effect.andThen(
              exit._tag === "Success" && exit.value.status === "PAUSED" ? onPause(exit.value) : Effect.void
            ),
            Effect.andThen(lifetime?.end ?? Effect.void)
          )
        })
      )
    ))
    lifetime?.handOver()
    // it may have been cancelled or given up before there was a fiber
    if (cancellation.reason !== undefined || execution.givenUp !== undefined) execution.fiber.interruptUnsafe()
    return {
      _tag: "Started",
      run: { kind: component.kind, run_id, session_id },
      events: stream ? eventsOf(execution) : Stream.empty,
      sessionState: isWaiting ? undefined : begun.session_state,
      output: Deferred.await(done),
      cancel: cancelOf({ run_id, session_id, filter: { owner: Owner.anyone, component } })
    }
  }

  return {
    executing: executing as ReadonlyMap<Run.Id, Execution.Execution>,
    execute,
    interrupt,
    awaitBusy: isBusy.await
  }
})
