// A test clock whose time moves in steps: to the end of each sleep, after what the one before it has caused. The clock
// of `effect/testing` waits for fibers, and a fiber that waits for a reply of the database looks idle to it.
import { type Clock, Duration, Effect } from "effect"
import type { TestClock } from "effect/testing"

/** Turns of the event loop without a use of the clock, after which a service counts as idle. A statement uses it. */
const quietTurns = 12

/** The most turns that a service may be busy for. */
const maxTurns = 10_000

/** Up to this duration each sleep ends alone. Within a longer one, sleeps with ends close together end together. */
const exactMillis = Duration.toMillis("10 minutes")

const maxSteps = 600

interface Steps {
  readonly clock: Clock.Clock
}

const known = new WeakMap<Clock.Clock, Steps>()

/** Also of a clock that is made of one. */
const isStepped = Symbol("isStepped")

const isTestClock = (clock: Clock.Clock): clock is TestClock.TestClock => "adjust" in clock && "setTime" in clock

interface Sleep {
  readonly until: number
  readonly wake: () => void
}

const make = (test: TestClock.TestClock): Steps => {
  const sleeps = new Set<Sleep>()
  let isUsed = false
  const millis = () => {
    isUsed = true
    return test.currentTimeMillisUnsafe()
  }
  const clock: Clock.Clock & { readonly [isStepped]: true } = {
    ...test,
    [isStepped]: true,
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    sleep: (duration) => {
      const time = Duration.toMillis(duration)
      if (time <= 0) return Effect.yieldNow
      return Effect.callback((resume) => {
        const sleep = { until: millis() + time, wake: () => resume(Effect.void) }
        sleeps.add(sleep)
        return Effect.sync(() => sleeps.delete(sleep))
      })
    }
  }
  const settle = Effect.callback<void>((resume) => {
    const turn = (quiet: number, turns: number) => {
      if (quiet === quietTurns || turns === maxTurns) return resume(Effect.void)
      isUsed = false
      setImmediate(() => turn(isUsed ? 0 : quiet + 1, turns + 1))
    }
    turn(0, 0)
  })
  const { setTime } = test
  const jumpTo = Effect.fnUntraced(function*(time: number) {
    yield* setTime(time)
    const due = [...sleeps].filter(({ until }) => until <= time).toSorted((one, other) => one.until - other.until)
    for (const sleep of due) {
      sleeps.delete(sleep)
      sleep.wake()
    }
    yield* settle
  })
  const adjust = Effect.fnUntraced(function*(duration: Duration.Input) {
    yield* settle
    const now = test.currentTimeMillisUnsafe()
    const whole = Duration.toMillis(Duration.fromInputUnsafe(duration))
    const step = whole <= exactMillis ? 0 : whole / maxSteps
    for (;;) {
      const next = Math.min(...[...sleeps].map(({ until }) => until))
      if (next > now + whole) break
      yield* jumpTo(Math.min(now + whole, Math.max(next, test.currentTimeMillisUnsafe() + step)))
    }
    yield* jumpTo(now + whole)
  })
  // the tests call these of the clock that they have
  Object.assign(test, { adjust, setTime: (time: number) => Effect.andThen(settle, jumpTo(time)) })
  return { clock }
}

/** The clock for a service, which moves with that of its test. Other clocks stay as they are. */
export const stepped = (clock: Clock.Clock): Clock.Clock => {
  if (isStepped in clock || !isTestClock(clock)) return clock
  const steps = known.get(clock) ?? make(clock)
  known.set(clock, steps)
  return steps.clock
}
