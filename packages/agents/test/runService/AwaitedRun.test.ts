import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { TooManyRuns } from "@svc-runtime/engine/run/RunErrors"
import { Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import * as AwaitedRun from "../../src/runService/AwaitedRun.ts"

/** A run that never ends, and how often it was cancelled. */
const endless = (isOver: boolean) => {
  const counts = { cancelled: 0, late: 0 }
  const cancel = (isLate: boolean) => Effect.sync(() => void counts[isLate ? "late" : "cancelled"]++)
  const limits = { seconds: 10, isOver: Effect.succeed(isOver), cancel }
  return { counts, awaited: AwaitedRun.within(Effect.never, limits) }
}

describe("A run that a job awaits", () => {
  it.effect("A run that takes too long is cancelled.", () =>
    Effect.gen(function*() {
      const { awaited, counts } = endless(false)
      const waiting = yield* Effect.forkChild(awaited)
      yield* TestClock.adjust("10 seconds")
      assert.isTrue(Option.isNone(yield* Fiber.join(waiting)))
      assert.deepStrictEqual(counts, { cancelled: 0, late: 1 })
    }))

  for (const isOver of [true, false]) {
    it.effect(`An interruption cancels the run only after its job has ended: ${isOver}.`, () =>
      Effect.gen(function*() {
        const { awaited, counts } = endless(isOver)
        const waiting = yield* Effect.forkChild(awaited, { startImmediately: true })
        yield* Fiber.interrupt(waiting)
        assert.deepStrictEqual(counts, { cancelled: isOver ? 1 : 0, late: 0 })
      }))
  }

  it.effect("A start is tried each second while the service is busy, and other failures are not repeated.", () =>
    Effect.gen(function*() {
      let tries = 0
      const start = Effect.suspend(() => ++tries < 3 ? Effect.fail(new TooManyRuns()) : Effect.succeed("started"))
      const started = yield* Effect.forkChild(AwaitedRun.retryWhile(start, AwaitedRun.isBusy))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* Fiber.join(started), "started")
      assert.strictEqual(tries, 3)
      const unavailable = new StorageUnavailable({ cause: "down" })
      const failed = yield* Effect.flip(AwaitedRun.retryWhile(Effect.fail(unavailable), AwaitedRun.isBusy))
      assert.strictEqual(failed, unavailable)
      assert.isTrue(AwaitedRun.isTransient(unavailable))
    }))
})
