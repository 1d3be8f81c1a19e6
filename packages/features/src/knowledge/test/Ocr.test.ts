import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as Ocr from "../Ocr.ts"

const scan: Ocr.Scan = { bytes: new Uint8Array(), name: "a.png", type: "image/png", pages: undefined }

const started = (ocr: Ocr.Recognize) =>
  Effect.forkChild(Effect.exit(Ocr.recognize(ocr, scan)).pipe(Effect.provide(Logger.layer([]))))

const messageOf = (exit: Exit.Exit<unknown, Error>) =>
  Exit.isFailure(exit) ? (Cause.squash(exit.cause) as Error).message : undefined

describe("Ocr", () => {
  it.effect("a recognition that fails is called once more, after a second", () =>
    Effect.gen(function*() {
      let calls = 0
      const running = yield* started(() => {
        if (++calls === 1) throw new Error("503")
        return [{ text: "read" }]
      })
      yield* TestClock.adjust("999 millis")
      assert.strictEqual(calls, 1)
      yield* TestClock.adjust("1 millis")
      const exit = yield* Fiber.join(running)
      assert.deepStrictEqual(Exit.isSuccess(exit) && exit.value.map(({ text }) => text), ["read"])
      assert.strictEqual(calls, 2)
    }))

  it.effect("a second failure is final", () =>
    Effect.gen(function*() {
      let calls = 0
      const running = yield* started(() => {
        calls++
        throw new Error("503")
      })
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(messageOf(yield* Fiber.join(running)), "The text recognition failed")
      assert.strictEqual(calls, 2)
    }))

  it.effect("a recognition that reaches its time limit is not called again", () =>
    Effect.gen(function*() {
      let calls = 0
      const running = yield* started(() => {
        calls++
        return new Promise(() => {})
      })
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(messageOf(yield* Fiber.join(running)), "The text recognition failed")
      assert.strictEqual(calls, 1)
    }))
})
