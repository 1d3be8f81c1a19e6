// Fibers that can outlive their request, but not the engine that executes them.
import type { Context, Duration } from "effect"
import { Effect, Exit, Fiber, FiberSet, Option, Scope } from "effect"

/** How long work that has ended may take to be stored. As long as the database may take for a statement. */
const storeTimeout = "30 seconds"

export interface Options {
  readonly timeout: Duration.Input
  /** For the log. */
  readonly what: "run" | "job"
  /** The context of the fibers. Left out: the current one. */
  readonly context?: Context.Context<never> | undefined
}

const unstored = {
  run: "Runs could not be stored before the service stopped. The next start resumes them",
  job: "Jobs could not be stored before the service stopped. Another node or the next start executes them again"
}

/**
 * Forks fibers that are given time to end before they are interrupted. What a fiber does to store its end is not
 * interrupted: work that has come to its end is stored as ended, unless the store failed.
 */
export const forkDraining = Effect.fnUntraced(function*<A, E>({ context, timeout, what }: Options) {
  const scope = yield* Scope.make()
  const fibers = yield* Scope.provide(FiberSet.make<A, E>(), scope)
  const runFork = Effect.runForkWith(context ?? (yield* Effect.context<never>()))
  yield* Effect.addFinalizer(() =>
    Effect.gen(function*() {
      const running = yield* FiberSet.size(fibers)
      if (running > 0) {
        yield* Effect.logInfo(`Waiting for ${running} running ${what}(s) to finish`)
        yield* Effect.timeoutOption(FiberSet.awaitEmpty(fibers), timeout)
      }
      const interrupting = yield* Effect.forkDetach(Scope.close(scope, Exit.void), { startImmediately: true })
      const ended = yield* Effect.timeoutOption(Fiber.await(interrupting), storeTimeout)
      if (Option.isNone(ended)) yield* Effect.logError(unstored[what])
    })
  )
  // A closed set interrupts a new fiber, which then ends like the fibers before it.
  return (effect: Effect.Effect<A, E>): Fiber.Fiber<A, E> => {
    const fiber = runFork(effect, { uninterruptible: true })
    FiberSet.addUnsafe(fibers, fiber)
    return fiber
  }
})
