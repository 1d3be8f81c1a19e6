// A statement that is interrupted is not waited for: in a database that is frozen a driver takes seconds to give it up.
import { Effect, Fiber } from "effect"

export const detached = <A, E, R>(statement: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      Effect.forkDetach(restore(statement), { startImmediately: true }),
      (fiber) => Effect.onInterrupt(restore(Fiber.join(fiber)), () => Effect.sync(() => fiber.interruptUnsafe()))
    )
  )
