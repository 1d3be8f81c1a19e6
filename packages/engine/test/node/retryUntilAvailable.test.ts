// How long a database that is away is waited for.
import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as CurrentWork from "../../src/node/CurrentWork.ts"
import { retryUntilAvailable } from "../../src/node/retryUntilAvailable.ts"

/** Fails so many times, and counts how often it was tried. */
const failing = (times: number) => {
  const tried = { times: 0 }
  const effect = Effect.suspend(() => tried.times++ < times ? Effect.fail("away" as const) : Effect.succeed("stored"))
  return { effect, tried }
}

describe("a statement that fails", () => {
  it.effect("a failed statement is repeated once at once, even where waiting is not allowed", () =>
    Effect.gen(function*() {
      const { effect, tried } = failing(1)
      assert.strictEqual(yield* retryUntilAvailable(effect, () => false), "stored")
      assert.strictEqual(tried.times, 2)
    }))

  it.effect("a statement fails then, where waiting is not allowed", () =>
    Effect.gen(function*() {
      const { effect, tried } = failing(Infinity)
      assert.strictEqual(yield* Effect.flip(retryUntilAvailable(effect, () => false)), "away")
      assert.strictEqual(tried.times, 2)
    }))

  it.effect("a statement is repeated until it succeeds, at least every two seconds", () =>
    Effect.gen(function*() {
      const { effect, tried } = failing(20)
      const waiting = yield* Effect.forkChild(retryUntilAvailable(effect), { startImmediately: true })
      assert.strictEqual(tried.times, 2)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* Fiber.join(waiting), "stored")
      assert.strictEqual(tried.times, 21)
    }))

  it.effect("a statement that fails is not repeated any longer when the node closes", () =>
    Effect.gen(function*() {
      const { effect, tried } = failing(Infinity)
      let isClosing = false
      const waiting = yield* Effect.forkChild(
        CurrentWork.within({ isClosing: () => isClosing })(Effect.flip(retryUntilAvailable(effect))),
        { startImmediately: true }
      )
      yield* TestClock.adjust("10 seconds")
      assert.isAbove(tried.times, 4)
      isClosing = true
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual(yield* Fiber.join(waiting), "away")
    }))

  it.effect("a statement fails after some seconds when the database replies and rejects it", () =>
    Effect.gen(function*() {
      let times = 0
      const rejected = Effect.suspend(() => Effect.fail(new StorageUnavailable({ cause: times++, isRejected: true })))
      const waiting = yield* Effect.forkChild(Effect.flip(retryUntilAvailable(rejected)), { startImmediately: true })
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual((yield* Fiber.join(waiting)).isRejected, true)
      assert.isAtMost(times, 12)
    }))
})
