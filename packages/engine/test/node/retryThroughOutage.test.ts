// How long a request waits for a database that is away.
import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { retryThroughOutage } from "../../src/node/retryThroughOutage.ts"

/** Fails so many times, and counts how often it was tried. */
const failing = <E>(times: number, error: E) => {
  const tried = { times: 0 }
  const effect = Effect.suspend(() => tried.times++ < times ? Effect.fail(error) : Effect.succeed("stored"))
  return { effect, tried }
}

const away = new StorageUnavailable({ cause: "away" })

describe("a statement of a request", () => {
  it.effect("a statement is repeated while the database is unavailable", () =>
    Effect.gen(function*() {
      const { effect } = failing(10, away)
      const waiting = yield* Effect.forkChild(retryThroughOutage(effect, "1 minute"), { startImmediately: true })
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(yield* Fiber.join(waiting), "stored")
    }))

  it.effect("a statement fails after the limit", () =>
    Effect.gen(function*() {
      const { effect, tried } = failing(Infinity, away)
      const waiting = yield* Effect.forkChild(Effect.flip(retryThroughOutage(effect, "1 minute")), {
        startImmediately: true
      })
      yield* TestClock.adjust("59 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* Fiber.join(waiting), away)
      assert.isAtLeast(tried.times, 30)
    }))

  it.effect.each(
    [
      ["a failure of another kind", "not found"],
      ["pending migrations", new StorageUnavailable({ cause: "pending", pendingDatabase: "tenant" })]
    ] as const
  )("a statement is not repeated after a failure that is no outage: %s", ([, error]) =>
    Effect.gen(function*() {
      const { effect, tried } = failing<unknown>(Infinity, error)
      assert.strictEqual(yield* Effect.flip(retryThroughOutage(effect, "1 minute")), error)
      assert.strictEqual(tried.times, 1)
    }))
})
