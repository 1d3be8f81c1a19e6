// Stores the events of the runs that a node executes, and then shows them. One statement takes the new events of all
// runs since the last one: only watchers wait for it.
import { Context, Duration, Effect, Latch, Layer, Scope } from "effect"
import { EngineSettings } from "../engine/EngineSettings.ts"
import * as Execution from "../engine/Execution.ts"
import { shortPollInterval } from "../leases/ThisNode.ts"
import { RunLog } from "../store/RunLog.ts"

export class EventWriter extends Context.Service<EventWriter, {
  /** An execution has events to store: soon, or later if they are shown already. */
  readonly onPending: (execution: Execution.Execution, isShown: boolean) => void
}>()("@svc-runtime/engine/run/events/EventWriter") {
  static readonly layer: Layer.Layer<EventWriter, never, EngineSettings | RunLog> = Layer.effect(
    EventWriter,
    Effect.suspend(() => make)
  )
}

/** The least time between two statements. */
const defaultInterval = "5 millis"

/** Shown words are stored after so many of these times. One statement then has many of them. */
const shownIntervals = 10

/** The pause after a failed statement. */
const retryDelay = shortPollInterval

/** How long the events that are left may take when the node stops. Without them a later attempt only repeats words. */
const closeTimeout = "2 seconds"

/** Maximum number of events in one statement. After an outage there may be any number. */
const maxEvents = 1000

/** Rejected statements after which the runs of a batch are no longer tried one by one. */
const maxFailures = 3

/** Writes until the surrounding scope is closed, and then what is left. */
const make = Effect.gen(function*() {
  const log = yield* RunLog
  const { eventInterval = defaultInterval } = yield* EngineSettings
  const scope = yield* Scope.Scope
  const pending = new Set<Execution.Execution>()
  /** Open while there are events to store. */
  const hasPending = yield* Latch.make(false)
  /** Their words are shown. */
  const shown = new Set<Execution.Execution>()
  const hasShown = yield* Latch.make(false)

  const onPending = (execution: Execution.Execution, isShown = false) => {
    if (isShown) {
      if (pending.has(execution)) return
      shown.add(execution)
      hasShown.openUnsafe()
    } else {
      pending.add(execution)
      hasPending.openUnsafe()
    }
  }

  const storeShown = Effect.sync(() => {
    hasShown.closeUnsafe()
    for (const execution of shown) onPending(execution)
    shown.clear()
  })

  interface BatchEntry {
    readonly execution: Execution.Execution
    readonly events: ReturnType<Execution.Execution["events"]["unstored"]>
  }

  /** As many events as one statement takes. The rest stays pending. */
  const takeBatch = (): ReadonlyArray<BatchEntry> => {
    let room = maxEvents
    const batch: Array<BatchEntry> = []
    for (const execution of pending) {
      if (room === 0) break
      pending.delete(execution)
      shown.delete(execution)
      // its last events are stored with its end
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

  const write = (batch: ReadonlyArray<BatchEntry>) => {
    const batches = batch.map(({ events, execution: { attempt, run_id } }) => ({ run_id, attempt, events }))
    return Effect.flatMap(log.appendEvents(batches), (held) => {
      const isHeld = Execution.leaseCheck(held)
      const lost = batch.filter(({ execution }) => !isHeld(execution))
      for (const { events, execution } of batch) if (isHeld(execution)) execution.events.stored(events)
      return Effect.forEach(
        lost,
        ({ execution }) => execution.isEnding ? Effect.void : Execution.loseLease(execution),
        { discard: true }
      )
    })
  }

  const keep = (batch: ReadonlyArray<BatchEntry>) =>
    Effect.sync(() => batch.forEach(({ execution }) => onPending(execution)))

  /**
   * For a batch that the database rejects, possibly because of the events of one run. That run is retried later, alone.
   */
  const writeEach = Effect.fnUntraced(function*(batch: ReadonlyArray<BatchEntry>) {
    let [failures, successes] = [0, 0]
    for (const each of batch) {
      const exit = yield* Effect.exit(write([each]))
      if (exit._tag === "Success") {
        successes++
        continue
      }
      failures++
      yield* Effect.forkIn(Effect.delay(keep([each]), retryDelay), scope)
      // it rejects all writes: all runs are retried later
      if (successes === 0 && failures === maxFailures) return yield* exit
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
      // the store is unavailable: the events stay pending
      Effect.onError(() => keep(batch))
    )
  })

  // the runs have ended or are interrupted, and this node still has their leases
  yield* Effect.addFinalizer(() =>
    storeShown.pipe(
      Effect.andThen(Effect.repeat(store, { until: () => pending.size === 0 })),
      Effect.timeout(closeTimeout),
      Effect.ignoreCause
    )
  )
  const between = Duration.fromInputUnsafe(eventInterval)
  yield* hasShown.await.pipe(
    Effect.andThen(Effect.sleep(Duration.times(between, shownIntervals))),
    Effect.andThen(storeShown),
    Effect.forever,
    Effect.interruptible,
    Effect.forkScoped
  )
  yield* hasPending.await.pipe(
    Effect.andThen(Effect.catchCause(store, () => Effect.sleep(retryDelay))),
    Effect.andThen(Duration.isZero(between) ? Effect.yieldNow : Effect.sleep(between)),
    Effect.forever,
    Effect.interruptible,
    Effect.forkScoped
  )
  return EventWriter.of({ onPending })
})
