// Executes the runs that this node holds, each in a fiber of its own, from its turn in its session to its end. When it is
// closed it waits for them as long as it is given, and leaves the others as they are.
import type { AnyRun, Run, StorageUnavailable } from "@svc/domain"
import { Deferred, type Duration, Effect, Exit, Latch, Option, Stream } from "effect"
import * as Cancellation from "./Cancellation.ts"
import * as Execution from "./Execution.ts"
import { forkDrained } from "./forkDrained.ts"
import { RunHandedOver } from "./RunErrors.ts"
import type { RunHandle } from "./RunHandle.ts"
import type { Ended } from "./Runnable.ts"
import type { RunStore } from "./RunStore.ts"
import type { Turns } from "./Turns.ts"

export interface Options {
  readonly runs: RunStore["Service"]
  readonly turns: Turns
  readonly drainTimeout: Duration.Input
  /** What whoever started a streamed run gets of it. */
  readonly eventsOf: (execution: Execution.Execution) => RunHandle["events"]
  /** Told when it is stored. */
  readonly onPause: (output: AnyRun.Output) => Effect.Effect<unknown>
}

export const make = Effect.fnUntraced(function*({ drainTimeout, eventsOf, onPause, runs, turns }: Options) {
  const executing = new Map<Run.Id, Execution.Execution>()
  /** Open while something is executed. */
  const isBusy = yield* Latch.make(false)
  const fork = yield* forkDrained(drainTimeout)
  let isClosing = false
  yield* Effect.addFinalizer(() => Effect.sync(() => (isClosing = true)))

  /** All of them are told before the first one ends: that could give its turn to the next one. */
  const interrupt = (...wanted: ReadonlyArray<Run.Id>) => {
    const found = wanted.flatMap((run) => executing.get(run) ?? [])
      .filter(({ cancellation }) => cancellation.reason === undefined)
    for (const { cancellation, run_id } of found) cancellation.reason = Cancellation.reasonOf(run_id)
    for (const { fiber } of found) fiber?.interruptUnsafe()
  }

  /** A run that is told to end while it waits ends at once, and changes nothing in its session. */
  const turnOf = ({ begun, isWaiting, request: { session_id }, run_id }: Execution.Taken) =>
    isWaiting
      ? Effect.map(Effect.exit(Effect.interruptible(turns.wait({ run_id, session_id }))), Exit.getSuccess)
      : Effect.succeedSome(begun)

  const perform = Effect.fnUntraced(function*(taken: Execution.Taken, execution: Execution.Execution) {
    const { begun, continuedFrom, createdAt, runnable } = taken
    const { cancellation, events } = execution
    const turn = yield* turnOf(taken)
    if (Option.isNone(turn) && cancellation.reason === undefined) return Option.none<Ended>()
    const ended = yield* runnable.run({
      begun: Option.getOrElse(turn, () => begun),
      createdAt,
      emit: events.publish,
      cancellation,
      journal: Execution.journalOf(runs, execution),
      recall: Execution.recallIn(runs, execution.run_id),
      isContinued: continuedFrom?.hasBegun === true
    })
    return Option.isSome(turn) ? ended : Option.map(ended, (ended): Ended => ({ ...ended, stateChanges: undefined }))
  })

  const ended = (execution: Execution.Execution) => {
    // it may be executed again already
    if (executing.get(execution.run_id) === execution) executing.delete(execution.run_id)
    if (executing.size === 0) isBusy.closeUnsafe()
  }

  const finish =
    (execution: Execution.Execution) =>
    (end: Option.Option<Ended>): Effect.Effect<AnyRun.Output, StorageUnavailable | RunHandedOver> =>
      Option.isSome(end)
        ? Execution.finish(runs, execution, end.value, () => isClosing)
        : Effect.fail(new RunHandedOver({ run_id: execution.run_id }))

  const execute = (taken: Execution.Taken, execution: Execution.Execution): RunHandle => {
    const { request: { lifetime, session_id, stream }, run_id } = taken
    const { cancellation, done, events } = execution
    // before it is forked: a run may have said something, and be cancelled for it, before the fork has returned
    executing.set(run_id, execution)
    isBusy.openUnsafe()
    execution.fiber = fork(
      Effect.flatMap(perform(taken, execution), finish(execution)).pipe(
        Effect.onExit((exit) => {
          ended(execution)
          return Deferred.done(done, exit).pipe(
            Effect.andThen(Effect.sync(() => events.feed.end(exit._tag === "Success" ? "complete" : "broken"))),
            Effect.andThen(turns.passOn(session_id)),
            Effect.andThen(
              exit._tag === "Success" && exit.value.status === "PAUSED" ? onPause(exit.value) : Effect.void
            ),
            Effect.andThen(lifetime?.end ?? Effect.void)
          )
        })
      )
    )
    lifetime?.handOver()
    if (cancellation.reason !== undefined) execution.fiber.interruptUnsafe()
    return {
      events: stream ? eventsOf(execution) : Stream.empty,
      output: Deferred.await(done)
    }
  }

  return { executing: executing as ReadonlyMap<Run.Id, Execution.Execution>, execute, interrupt, isBusy: isBusy.await }
})
