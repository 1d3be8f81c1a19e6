// Something that is done again and again as long as the surrounding scope is open. What fails is done again the next time.
import { type Duration, Effect, type Scope } from "effect"

export const forkForever = <A, E>(
  task: Effect.Effect<A, E>,
  pause: Duration.Input
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.ignore(task).pipe(
    Effect.andThen(Effect.sleep(pause)),
    Effect.forever,
    Effect.interruptible,
    Effect.forkScoped,
    Effect.asVoid
  )
