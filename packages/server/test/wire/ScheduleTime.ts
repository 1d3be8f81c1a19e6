// Tests of schedules let time pass.
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { get, list } from "../Wire.ts"

export const runsOf = (server: TestServer.TestServer, path: string) =>
  Effect.map(get(server, `${path}/runs`), ({ json }) => list(json, "data"))

/** Time passes until the runs fit. */
export const until = Effect.fnUntraced(function*(
  server: TestServer.TestServer,
  path: string,
  isWanted: (runs: ReadonlyArray<unknown>) => boolean
) {
  for (;;) {
    const runs = yield* runsOf(server, path)
    if (isWanted(runs)) return runs
    yield* TestClock.adjust("1 second")
  }
})

/** Time passes until the effect ends: workers pause between two jobs. */
export const passing = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const clock = yield* Effect.forkChild(
    Effect.forever(Effect.andThen(TestClock.adjust("10 millis"), Effect.yieldNow))
  )
  return yield* Effect.ensuring(effect, Fiber.interrupt(clock))
})
