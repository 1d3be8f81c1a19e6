// Stores the events of the runs that a node executes, and then shows them. One statement takes the new events of all
// runs since the last one: only watchers wait for it.
import { Duration, Effect, Latch, Scope } from "effect"
import * as Execution from "./Execution.ts"
import type { RunStore } from "./RunStore.ts"

export interface Options {
  /** The least time between two statements. */
  readonly interval: Duration.Input
  /** How long a store is left alone that does not take them. */
  readonly retryDelay: Duration.Input
}

/** Of one statement. After an outage there may be any number. */
const mostEvents = 1000

/** Rejected statements after which the runs of a batch are no longer tried one by one. */
const mostFailures = 3

/**
 * Gives what is to be called when an execution has something to store. Writes until the surrounding scope is closed.
 */
export const make = Effect.fnUntraced(function*(runs: RunStore["Service"], { interval, retryDelay }: Options) {
  const scope = yield* Scope.Scope
  const pending = new Set<Execution.Execution>()
  /** Open while there are events to store. */
  const hasPending = yield* Latch.make(false)

  const onPending = (execution: Execution.Execution) => {
    pending.add(execution)
    hasPending.openUnsafe()
  }

  interface Batch {
    readonly execution: Execution.Execution
    readonly events: ReturnType<Execution.Execution["events"]["unstored"]>
  }

  /** As many as one statement takes. What is left stays pending. */
  const takeBatch = (): ReadonlyArray<Batch> => {
    let room = mostEvents
    const batch: Array<Batch> = []
    for (const execution of pending) {
      if (room === 0) break
      pending.delete(execution)
      // what it has to say at its end goes with that
      if (execution.isEnding) continue
      const unstored = execution.events.unstored()
      const events = unstored.slice(0, room)
      room -= events.length
      if (events.length < unstored.length) pending.add(execution)
      if (events.length > 0) batch.push({ execution, events })
    }
    if (pending.size > 0) hasPending.openUnsafe()
    return batch
  }

  const write = (batch: ReadonlyArray<Batch>) => {
    const happened = batch.map(({ events, execution: { attempt, run_id } }) => ({ run_id, attempt, events }))
    return Effect.flatMap(runs.appendEvents(happened), (held) => {
      const isHeld = Execution.leaseCheck(held)
      return Effect.forEach(batch, ({ events, execution }) => {
        if (isHeld(execution)) return Effect.sync(() => execution.events.stored(events))
        return execution.isEnding ? Effect.void : Execution.lose(execution)
      }, { discard: true })
    })
  }

  const keep = (batch: ReadonlyArray<Batch>) =>
    Effect.sync(() => batch.forEach(({ execution }) => onPending(execution)))

  /**
   * Of a batch that the database rejects: the events of one run may be why. That run is tried again later, by itself.
   */
  const writeEach = Effect.fnUntraced(function*(batch: ReadonlyArray<Batch>) {
    let [failures, successes] = [0, 0]
    for (const each of batch) {
      const exit = yield* Effect.exit(write([each]))
      if (exit._tag === "Success") {
        successes++
        continue
      }
      failures++
      yield* Effect.forkIn(Effect.delay(keep([each]), retryDelay), scope)
      // it rejects whatever is written: all of them are tried another time
      if (successes === 0 && failures === mostFailures) return yield* exit
    }
  })

  const store = Effect.suspend(() => {
    hasPending.closeUnsafe()
    const batch = takeBatch()
    if (batch.length === 0) return Effect.void
    return Effect.catchIf(
      write(batch),
      ({ isRejected }) => isRejected === true,
      () => writeEach(batch)
    ).pipe(
      // the store is away: they are still there, and go with the next ones
      Effect.onError(() => keep(batch))
    )
  })

  const between = Duration.fromInputUnsafe(interval)
  yield* hasPending.await.pipe(
    Effect.andThen(Effect.catchCause(store, () => Effect.sleep(retryDelay))),
    Effect.andThen(Duration.isZero(between) ? Effect.yieldNow : Effect.sleep(between)),
    Effect.forever,
    Effect.interruptible,
    Effect.forkScoped
  )
  return onPending
})
