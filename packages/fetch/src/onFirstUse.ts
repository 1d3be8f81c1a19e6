import { Effect, Scope } from "effect"

/** What many services do not use is made for its first use, and closed with the scope of now. */
export const onFirstUse = <A, E, R>(make: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.scope, (scope) =>
    // a caller that is interrupted leaves it to those after it
    Effect.cached(Effect.uninterruptible(Effect.provideService(make, Scope.Scope, scope))))
