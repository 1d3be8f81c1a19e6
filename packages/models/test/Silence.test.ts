import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { assert, describe, it } from "@effect/vitest"
import * as SettableClock from "@svc-runtime/test-support/SettableClock"
import { Effect, Fiber, Latch, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as AiSdkStream from "../src/AiSdkStream.ts"
import type { Reading } from "../src/DeltaBypass.ts"
import * as ModelError from "../src/ModelError.ts"
import * as ModelRetry from "../src/ModelRetry.ts"

const word = (delta: string): LanguageModelV4StreamPart => ({ type: "text-delta", id: "t", delta })

/** A stream whose parts the test sends. Its reader waits for `reading` after each part. */
const start = Effect.fnUntraced(function*(reading: Effect.Effect<void> = Effect.void) {
  const readings = yield* Queue.unbounded<Reading>()
  const seen = yield* Queue.unbounded<string>()
  const stream = AiSdkStream.make({
    open: () =>
      Promise.resolve({
        read: (reading) => void Queue.offerUnsafe(readings, reading),
        cancel: () => Promise.resolve()
      }),
    declared: new Set(),
    policy: ModelRetry.policy({ idleTimeout: "60 seconds" }),
    breaker: (call) => call,
    source: { provider: "Test", model: "m", method: "streamText" },
    onWarnings: () => Effect.void
  })
  const fiber = yield* Effect.forkChild(
    Stream.runForEach(
      stream,
      (part) => Effect.andThen(Queue.offer(seen, part.type === "text-delta" ? part.delta : part.type), reading)
    )
  )
  const say = Effect.fnUntraced(function*(text: string) {
    const { onParts } = yield* Queue.take(readings)
    onParts([word(text)])
    assert.strictEqual(yield* Queue.take(seen), text)
  })
  return { fiber, readings, say }
})

describe("silence in an answer", () => {
  it.effect("the time limit begins again with each word", () =>
    Effect.gen(function*() {
      const { fiber, readings, say } = yield* start()
      yield* say("One")
      yield* TestClock.adjust("59 seconds")
      yield* say(" two")
      yield* TestClock.adjust("59 seconds")
      yield* say(" three")
      yield* Queue.take(readings)
      yield* TestClock.adjust("59 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 second")
      const error = yield* Effect.flip(Fiber.join(fiber))
      assert.strictEqual(
        ModelError.describe(error).message,
        "Test sent nothing more of the answer of m for 1m"
      )
    }))

  it.effect.each([3_600_000, -3_600_000])(
    "a step of the wall clock by %i ms does not change the time limit",
    (step) =>
      Effect.gen(function*() {
        const shift = { millis: 0 }
        const { fiber, readings, say } = yield* SettableClock.shifted(shift)(start())
        yield* say("One")
        yield* TestClock.adjust("30 seconds")
        yield* say(" two")
        yield* Queue.take(readings)
        shift.millis = step
        yield* TestClock.adjust("59 seconds")
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust("1 second")
        assert.isDefined(fiber.pollUnsafe())
        yield* Effect.flip(Fiber.join(fiber))
      })
  )

  it.effect("the time that a reader needs for a part does not count", () =>
    Effect.gen(function*() {
      const reading = yield* Latch.make(false)
      const { fiber, readings, say } = yield* start(reading.await)
      yield* say("One")
      yield* TestClock.adjust("5 minutes")
      yield* reading.open
      yield* Queue.take(readings)
      yield* TestClock.adjust("59 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 second")
      yield* Effect.flip(Fiber.join(fiber))
    }))
})
