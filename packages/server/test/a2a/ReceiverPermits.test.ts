import { assert, describe, it } from "@effect/vitest"
import * as ReceiverPermits from "@svc-runtime/features/taskPush/ReceiverPermits"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

const settled = Effect.repeat(Effect.yieldNow, { times: 20 })

/** Two calls that take all permits of a receiver, and more calls that are made at once. */
const taken = Effect.gen(function*() {
  const { withPermit } = ReceiverPermits.make({ permits: 2, maxWaiting: 2, timeout: "5 seconds" })
  const made: Array<string> = []
  const call = (name: string, until: Effect.Effect<void> = Effect.void, url = "http://receiver/hook") =>
    Effect.forkChild(withPermit(url)(Effect.andThen(Effect.sync(() => made.push(name)), until)))
  const end = yield* Deferred.make<void>()
  yield* call("first", Deferred.await(end))
  yield* call("second", Effect.never)
  yield* settled
  return { call, end: Deferred.succeed(end, undefined), made }
})

describe("ReceiverPermits", () => {
  it.effect("a call that finds all permits of its receiver taken is made as soon as one is free", () =>
    Effect.gen(function*() {
      const { call, end, made } = yield* taken
      const waiting = yield* call("third")
      yield* settled
      assert.deepStrictEqual(made, ["first", "second"])
      yield* end
      yield* Fiber.join(waiting)
      assert.deepStrictEqual(made, ["first", "second", "third"])
    }))

  it.effect("a call that gets no permit in the time fails, and another receiver has permits of its own", () =>
    Effect.gen(function*() {
      const { call, made } = yield* taken
      const waiting = yield* Effect.forkChild(Effect.flip(Fiber.join(yield* call("third"))))
      yield* Fiber.join(yield* call("other", Effect.void, "http://other/hook"))
      yield* settled
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "ReceiverBusy")
      assert.deepStrictEqual(made, ["first", "second", "other"])
    }))

  it.effect("a call fails at once if as many wait as may", () =>
    Effect.gen(function*() {
      const { call } = yield* taken
      yield* call("third")
      yield* call("fourth")
      yield* settled
      const error = yield* Effect.flip(Fiber.join(yield* call("fifth")))
      assert.strictEqual(error._tag, "ReceiverBusy")
    }))
})
