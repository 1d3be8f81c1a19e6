import { assert, describe, it } from "@effect/vitest"
import * as ModelRequests from "@svc-runtime/telemetry/ModelRequests"
import * as RequestCounts from "@svc-runtime/test-support/RequestCounts"
import { Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as InnerTimeLimit from "../../src/team/InnerTimeLimit.ts"

/** A run whose model hangs. */
const inner = () =>
  Effect.exit(Effect.interruptible(ModelRequests.counted(Effect.never, { provider: "test", id: "slow" })))

describe("the time limit of a run inside of a run", () => {
  for (const reason of ["limit", "cancellation"] as const) {
    it.effect(`Whether the request of the run counts as an error, after its ${reason}.`, () =>
      Effect.gen(function*() {
        const { counting, counts } = RequestCounts.make()
        const limited = Effect.uninterruptible(
          InnerTimeLimit.within({ reason: undefined }, Duration.seconds(20), inner)
        )
        const fiber = yield* Effect.forkChild(counting(limited), { startImmediately: true })
        if (reason === "limit") yield* TestClock.adjust("20 seconds")
        else {
          yield* Effect.yieldNow
          yield* Fiber.interrupt(fiber)
        }
        yield* Fiber.await(fiber)
        assert.deepStrictEqual(counts(), reason === "limit" ? { "slow error": 1 } : {})
      }))
  }

  it.effect("A run that is cancelled at once ends.", () =>
    Effect.gen(function*() {
      const limited = Effect.uninterruptible(
        InnerTimeLimit.within({ reason: undefined }, Duration.seconds(20), () => Effect.succeed("ended"))
      )
      const fiber = yield* Effect.forkChild(limited, { startImmediately: true })
      fiber.interruptUnsafe()
      yield* Fiber.await(fiber)
    }))
})
