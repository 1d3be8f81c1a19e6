// Time that passes in this process. Durations and limits are measured by it, because the wall clock can be set. It has
// no meaning in another process, and starts anywhere: a first event has no time before it.
import { type Clock, Effect } from "effect"

export const millisOf = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)

export const millis: Effect.Effect<number> = Effect.clockWith((clock) => Effect.succeed(millisOf(clock)))
