// Fires schedules when they are due by the clock of the database. Every node does: for each time of a schedule, one of
// them moves the next time, records the run and enqueues its job, in one statement.
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { NewId } from "@svc-runtime/engine/NewId"
import * as BackgroundLoops from "@svc-runtime/engine/node/BackgroundLoops"
import { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import { JobCancelSignal, JobSignal } from "@svc-runtime/engine/signals/Signals"
import { Clock, Effect, Latch, Layer, Option } from "effect"
import * as Firing from "./Firing.ts"
import { type DueSchedule, ScheduleRunStore } from "./ScheduleRunStore.ts"
import { Scheduling } from "./Scheduling.ts"

/** How many due schedules are read and fired at once. */
const maxDue = 200

/** Milliseconds between two polls. They also find changes whose signals were lost. */
const idle = 15_000

/** Milliseconds until the next poll after a failure, and while other nodes fire the due schedules. */
const [afterFailure, afterOthers] = [1000, 50]

const topic = "schedules"

const logFiring = Effect.fnUntraced(function*({ firing, isMissed }: Firing.Made, { catch_up }: DueSchedule) {
  const about = { schedule_id: firing.id, expected: firing.expected }
  if (firing.next_run_at === null) {
    yield* Effect.annotateLogs(
      Effect.logError(`A schedule cannot be executed and is disabled: ${firing.paused_reason}`),
      about
    )
  }
  if (isMissed) {
    yield* Effect.annotateLogs(
      Effect.logWarning(`A schedule missed times. With catch_up ${catch_up}, ${firing.slots.length} run(s) begin now`),
      about
    )
  }
})

const make = Effect.gen(function*() {
  const store = yield* ScheduleRunStore
  const { node: { node, signals } } = yield* RunEngine
  const { changed, ends, enqueued } = yield* Scheduling
  const [jobSignal, cancelSignal] = [yield* JobSignal, yield* JobCancelSignal]
  const newId = yield* NewId
  const clock = yield* Clock.Clock
  const millis = () => Monotonic.millisOf(clock)
  const isSignalled = Latch.makeUnsafe(true)
  let lookAt = 0

  const fire = Effect.fnUntraced(function*(due: ReadonlyArray<DueSchedule>, at: number) {
    const made = due.map((schedule) => Firing.make(schedule, Math.floor(at / 1000), newId))
    const { cancelled, runs, schedules } = yield* store.fire(made.map(({ firing }) => firing))
    if (cancelled > 0) cancelSignal.notify()
    if (runs > 0) jobSignal.notify()
    if (schedules === due.length) {
      yield* Effect.forEach(due, (schedule, index) => {
        const each = made[index]
        return each === undefined ? Effect.void : logFiring(each, schedule)
      }, { discard: true })
    }
    return schedules
  })

  const look = Effect.suspend((): Effect.Effect<void, StorageUnavailable> => {
    isSignalled.closeUnsafe()
    lookAt = millis() + afterFailure
    return Effect.gen(function*() {
      const found = yield* store.nextDue(maxDue)
      if (Option.isNone(found)) {
        lookAt = millis() + idle
        return
      }
      const { at, schedules } = found.value
      const due = schedules.filter(({ next_run_at }) => next_run_at * 1000 <= at)
      const [first] = schedules
      if (due.length === 0) {
        lookAt = millis() + Math.min(idle, first === undefined ? idle : Math.max(1, first.next_run_at * 1000 - at))
        return
      }
      const moved = yield* fire(due, at)
      lookAt = millis() + (moved === 0 ? afterOthers : 0)
    })
  })

  const wake = () => isSignalled.openUnsafe()
  signals.follow(topic, wake)
  changed.follow(() => {
    signals.publish(topic)
    wake()
  })

  enqueued.follow(jobSignal.notify)
  ends.connect(signals)

  yield* BackgroundLoops.fork({ node }, {
    schedules: {
      when: Effect.raceFirst(isSignalled.await, Effect.suspend(() => Effect.sleep(Math.max(0, lookAt - millis())))),
      task: look,
      every: "1 millis"
    }
  })
})

export const layer: Layer.Layer<
  never,
  never,
  JobCancelSignal | JobSignal | RunEngine | ScheduleRunStore | Scheduling
> = Layer.effectDiscard(make)
