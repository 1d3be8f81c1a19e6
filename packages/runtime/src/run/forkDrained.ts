// A run outlives the request that started it, but not the engine that executes it.
import type { AnyRun, StorageUnavailable } from "@svc/domain"
import { type Duration, Effect, type Fiber, FiberSet } from "effect"
import type { RunHandedOver } from "./RunErrors.ts"

type Failure = StorageUnavailable | RunHandedOver

/**
 * Forks fibers that are given time to end before they are interrupted. What a fiber does to store its end is not
 * interrupted: a run that has come to its end is stored as ended, unless the store failed.
 */
export const forkDrained = Effect.fnUntraced(function*(timeout: Duration.Input) {
  const fibers = yield* FiberSet.make<AnyRun.Output, Failure>()
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  yield* Effect.addFinalizer(() =>
    Effect.gen(function*() {
      const running = yield* FiberSet.size(fibers)
      if (running === 0) return
      yield* Effect.logInfo(`Waiting for ${running} running run(s) to finish`)
      yield* Effect.timeoutOption(FiberSet.awaitEmpty(fibers), timeout)
    })
  )
  // A set that is closed already interrupts what is added to it, which then ends as one that ran at that moment.
  return (effect: Effect.Effect<AnyRun.Output, Failure>): Fiber.Fiber<AnyRun.Output, Failure> => {
    const fiber = runFork(effect, { uninterruptible: true })
    FiberSet.addUnsafe(fibers, fiber)
    return fiber
  }
})
