// A clock that stands still until a test moves it. The next sleep ends only after the work that the one before it has
// caused, promises included; the clock of `effect/testing` waits for fibers alone.
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import { Clock, Duration, Effect } from "effect"

interface Sleep {
  readonly until: number
  readonly wake: () => void
}

/** Turns of the event loop without a use of the clock, after which the service counts as idle. */
const quietTurns = 20

/** The most turns that a service may be busy for. */
const maxTurns = 10_000

/** Up to this duration each sleep ends alone. Within a longer one, sleeps with ends close together end together. */
const exactMillis = Duration.toMillis("1 hour")

const maxSteps = 3600

export class HeldClock implements Clock.Clock {
  #now: number
  #sleeps: ReadonlyArray<Sleep> = []
  #isUsed = false
  #outside = 0
  readonly #waiting = new Set<() => void>()

  constructor(now: number) {
    this.#now = now
  }

  currentTimeMillisUnsafe(): number {
    this.#isUsed = true
    return this.#now
  }

  currentTimeNanosUnsafe(): bigint {
    return BigInt(Math.round(this.currentTimeMillisUnsafe() * 1e6))
  }

  monotonicTimeNanosUnsafe(): bigint {
    return this.currentTimeNanosUnsafe()
  }

  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  readonly monotonicTimeNanos = Effect.sync(() => this.monotonicTimeNanosUnsafe())

  sleep(duration: Duration.Duration): Effect.Effect<void> {
    const millis = Duration.toMillis(duration)
    if (millis <= 0) return Effect.yieldNow
    return Effect.callback((resume) => {
      const sleep: Sleep = { until: this.#now + millis, wake: () => resume(Effect.void) }
      this.#isUsed = true
      this.#sleeps = [...this.#sleeps, sleep]
      return Effect.sync(() => {
        this.#sleeps = this.#sleeps.filter((other) => other !== sleep)
      })
    })
  }

  /** Executes what other processes and machines do: by real time, and while the held time does not move. */
  readonly outside = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        this.#outside += 1
      }),
      () => Effect.provideService(effect, Clock.Clock, Clock.Clock.defaultValue()),
      () =>
        Effect.sync(() => {
          this.#outside -= 1
          this.#isUsed = true
          if (this.#outside > 0) return
          const waiting = [...this.#waiting]
          this.#waiting.clear()
          for (const resume of waiting) resume()
        })
    )

  /** Waits until the service does nothing more at this time. */
  readonly settle: Effect.Effect<void> = Effect.callback((resume) => {
    let immediate: NodeJS.Immediate
    const again = () => turn(0, 0)
    const turn = (quiet: number, turns: number) => {
      if (this.#outside > 0) return void this.#waiting.add(again)
      if (quiet === quietTurns || turns === maxTurns) return resume(Effect.void)
      this.#isUsed = false
      immediate = setImmediate(() => turn(this.#isUsed ? 0 : quiet + 1, turns + 1))
    }
    turn(0, 0)
    return Effect.sync(() => {
      this.#waiting.delete(again)
      clearImmediate(immediate)
    })
  })

  /** The time at which the next sleep ends. */
  get next(): number {
    return this.#sleeps.reduce((earliest, { until }) => Math.min(earliest, until), Infinity)
  }

  get now(): number {
    return this.#now
  }

  /** Ends the sleeps until this time, the earliest first. */
  wakeUntil(time: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#now = Math.max(this.#now, time)
      const due = this.#sleeps.filter(({ until }) => until <= this.#now)
      this.#sleeps = this.#sleeps.filter(({ until }) => until > this.#now)
      for (const { wake } of due.toSorted((a, b) => a.until - b.until)) wake()
      return this.settle
    })
  }

  readonly advance = Effect.fnUntraced({ self: this }, function*(this: HeldClock, duration: Duration.Input) {
    const millis = Duration.toMillis(Validate.storedDuration("The time of a service", "what advance() adds", duration))
    const end = this.#now + millis
    const step = millis <= exactMillis ? 0 : millis / maxSteps
    yield* this.settle
    while (this.next <= end) yield* this.wakeUntil(Math.min(end, this.next + step))
    this.#now = end
  })
}
