// Stores what happens in the runs that a node executes, and shows it then. One statement takes whatever has happened in all
// runs since the last one: nothing waits for it but those who watch.
import { Duration, Effect, Latch } from "effect"
import * as Execution from "./Execution.ts"
import type { RunStore } from "./RunStore.ts"

export interface Options {
  /** The least time between two statements. */
  readonly interval: Duration.Input
  /** How long a store is left alone that does not take them. */
  readonly retryDelay: Duration.Input
}

/** Gives what is to be called when an execution has something to store. Writes until the surrounding scope is closed. */
export const make = Effect.fnUntraced(function*(runs: RunStore["Service"], { interval, retryDelay }: Options) {
  const pending = new Set<Execution.Execution>()
  /** Open while there are events to store. */
  const hasPending = yield* Latch.make(false)

  const onPending = (execution: Execution.Execution) => {
    pending.add(execution)
    hasPending.openUnsafe()
  }

  const store = Effect.suspend(() => {
    hasPending.closeUnsafe()
    const fresh = [...pending].flatMap((execution) => {
      // what it has to say at its end goes with that
      const events = execution.isEnding ? [] : execution.events.unstored()
      return events.length === 0 ? [] : [{ execution, events }]
    })
    pending.clear()
    if (fresh.length === 0) return Effect.void
    const happened = fresh.map(({ events, execution: { attempt, run_id } }) => ({ run_id, attempt, events }))
    return runs.appendEvents(happened).pipe(
      Effect.flatMap((held) => {
        const isHeld = Execution.leaseCheck(held)
        return Effect.forEach(fresh, ({ events, execution }) => {
          if (isHeld(execution)) return Effect.sync(() => execution.events.stored(events))
          return execution.isEnding ? Effect.void : Execution.lose(execution)
        }, { discard: true })
      }),
      // the store is away: they are still there, and go with the next ones
      Effect.onError(() => Effect.sync(() => fresh.forEach(({ execution }) => onPending(execution))))
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
