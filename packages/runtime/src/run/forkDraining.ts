// A run outlives the request that started it, but not the engine that executes it.
import type { AnyRun, StorageUnavailable } from "@svc/domain"
import { type Duration, Effect, Exit, Fiber, FiberSet, Option, Scope } from "effect"
import type { RunHandedOver } from "./RunErrors.ts"

/** How long a run that has ended may take to be stored. As long as the database may take for a statement. */
const storeTimeout = "30 seconds"

type Failure = StorageUnavailable | RunHandedOver

/**
 * Forks fibers that are given time to end before they are interrupted. What a fiber does to store its end is not
 * interrupted: a run that has come to its end is stored as ended, unless the store failed.
 */
export const forkDraining = Effect.fnUntraced(function*(timeout: Duration.Input) {
  const scope = yield* Scope.make()
  const fibers = yield* Scope.provide(FiberSet.make<AnyRun.Output, Failure>(), scope)
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  yield* Effect.addFinalizer(() =>
    Effect.gen(function*() {
      const running = yield* FiberSet.size(fibers)
      if (running > 0) {
        yield* Effect.logInfo(`Waiting for ${running} running run(s) to finish`)
        yield* Effect.timeoutOption(FiberSet.awaitEmpty(fibers), timeout)
      }
      const interrupting = yield* Effect.forkDetach(Scope.close(scope, Exit.void), { startImmediately: true })
      const ended = yield* Effect.timeoutOption(Fiber.await(interrupting), storeTimeout)
      if (Option.isSome(ended)) return
      yield* Effect.logError("Runs could not be stored before the service stopped. The next start resumes them")
    })
  )
  // A set that is closed already interrupts what is added to it, which then ends as one that ran at that moment.
  return (effect: Effect.Effect<AnyRun.Output, Failure>): Fiber.Fiber<AnyRun.Output, Failure> => {
    const fiber = runFork(effect, { uninterruptible: true })
    FiberSet.addUnsafe(fibers, fiber)
    return fiber
  }
})
