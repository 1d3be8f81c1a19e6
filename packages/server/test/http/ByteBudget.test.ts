import { assert, describe, it } from "@effect/vitest"
import * as ByteBudget from "@svc-runtime/http/requests/ByteBudget"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

const budget = () => ByteBudget.make({ total: 100, share: () => 50, timeout: "10 seconds" })
const late = () => Effect.fail("late" as const)
const settle = Effect.repeat(Effect.yieldNow, { times: 5 })

describe("a budget of bytes", () => {
  it.effect("a share depends on what others hold, so that some is left for the next caller", () =>
    Effect.gen(function*() {
      const { heldBy, shortage, take } = ByteBudget.make({
        total: 100,
        share: (others) => (100 - others) / 4,
        timeout: "10 seconds"
      })
      for (const caller of ["ann", "bob", "eve"]) {
        yield* Effect.forkChild(Effect.forever(take(caller, 1, late)))
        yield* Effect.repeat(settle, { times: 100 })
      }
      assert.deepStrictEqual(["ann", "bob", "eve"].map(heldBy), [25, 18, 14])
      assert.isUndefined(shortage())
      yield* take("dan", 43, late)
      yield* Effect.forkChild(take("fay", 3, late))
      yield* settle
      assert.deepStrictEqual(shortage(), { caller: "fay", held: 0, bytes: 3 })
    }))

  it.effect("a caller whose share is taken is refused after the timeout", () =>
    Effect.gen(function*() {
      const { take } = budget()
      yield* take("ann", 40, late)
      const waiting = yield* Effect.forkChild(Effect.exit(take("ann", 20, late)))
      yield* settle
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual((yield* Fiber.join(waiting))._tag, "Failure")
    }))

  it.effect("a caller gets bytes while another one whose share is taken waits", () =>
    Effect.gen(function*() {
      const { take, taken } = budget()
      yield* take("ann", 50, late)
      const waiting = yield* Effect.forkChild(take("ann", 20, late))
      yield* settle
      yield* take("bob", 50, late)
      assert.strictEqual(taken(), 100)
      yield* Fiber.interrupt(waiting)
    }))

  it.effect("a request that is larger than the share is granted, and the next one when it is released", () =>
    Effect.gen(function*() {
      const { release, take, taken } = budget()
      yield* take("ann", 500, late)
      assert.strictEqual(taken(), 100)
      const next = yield* Effect.forkChild(take("ann", 10, late))
      yield* settle
      assert.isUndefined(next.pollUnsafe())
      release("ann", 500)
      yield* Fiber.join(next)
      assert.strictEqual(taken(), 10)
    }))

  it.effect("the requests of one caller keep their order", () =>
    Effect.gen(function*() {
      const { release, take } = budget()
      yield* take("ann", 40, late)
      const order: Array<number> = []
      const first = yield* Effect.forkChild(Effect.map(take("ann", 30, late), () => order.push(1)))
      yield* settle
      const second = yield* Effect.forkChild(Effect.map(take("ann", 5, late), () => order.push(2)))
      yield* settle
      assert.deepStrictEqual(order, [])
      release("ann", 40)
      yield* Fiber.joinAll([first, second])
      assert.deepStrictEqual(order, [1, 2])
    }))

  it.effect("small requests do not overtake a large one forever", () =>
    Effect.gen(function*() {
      const { release, take, taken } = budget()
      yield* take("ann", 40, late)
      const large = yield* Effect.forkChild(take("bob", 90, late))
      yield* settle
      const small = yield* Effect.forkChild(take("cid", 10, late))
      yield* settle
      assert.strictEqual(taken(), 40)
      release("ann", 40)
      yield* Fiber.joinAll([large, small])
      assert.strictEqual(taken(), 100)
    }))

  it.effect("the bytes of a request that is interrupted are returned", () =>
    Effect.gen(function*() {
      const { take, taken } = budget()
      yield* take("ann", 40, late)
      const waiting = yield* Effect.forkChild(take("ann", 20, late))
      yield* settle
      yield* Fiber.interrupt(waiting)
      assert.strictEqual(taken(), 40)
    }))
})
