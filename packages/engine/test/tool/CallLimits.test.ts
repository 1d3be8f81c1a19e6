import { assert, describe, it } from "@effect/vitest"
import { toolContext } from "@svc-runtime/test-support/ToolContext"
import { Deferred, Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { z } from "zod"
import * as Tool from "../../src/tool/Tool.ts"

const failing = (options: Partial<Tool.Options<undefined>>, successAt = Number.POSITIVE_INFINITY) => {
  const seen: Array<string> = []
  const tool = Tool.make({
    name: "flaky",
    effects: "idempotent",
    ...options,
    execute: (_, { effectId }) => {
      seen.push(effectId)
      if (seen.length < successAt) throw new Error(`Failure ${seen.length}`)
      return "ok"
    }
  })
  return { seen, tool }
}

describe("the retries of a tool", () => {
  it.effect("a call that failed is repeated with the same effectId", () =>
    Effect.gen(function*() {
      const { seen, tool } = failing({ retries: 2 }, 3)
      const fiber = yield* Effect.forkChild(tool.call({}, toolContext))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "ok")
      assert.deepStrictEqual(seen, ["run.0.0", "run.0.0", "run.0.0"])
    }))

  it.effect("the last error is the result, and delays grow with exponentialBackoff", () =>
    Effect.gen(function*() {
      const { seen, tool } = failing({ retries: 3, delayBetweenRetries: "1 second", exponentialBackoff: true })
      const fiber = yield* Effect.forkChild(Effect.flip(tool.call({}, toolContext)))
      yield* TestClock.adjust("6999 millis")
      assert.strictEqual(seen.length, 3)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(fiber)).message, "Failure 4")
    }))

  it.effect("without the option a call is executed once", () =>
    Effect.gen(function*() {
      const { seen, tool } = failing({})
      yield* Effect.flip(tool.call({}, toolContext))
      assert.strictEqual(seen.length, 1)
    }))

  it.effect("a call that timed out is repeated, and each attempt has the whole timeout", () =>
    Effect.gen(function*() {
      let attempts = 0
      const tool = Tool.make({
        name: "slow",
        effects: "read",
        timeout: "5 seconds",
        retries: 1,
        delayBetweenRetries: 0,
        execute: () => ++attempts === 1 ? Effect.never : Effect.as(Effect.sleep("4 seconds"), "late but good")
      })
      const fiber = yield* Effect.forkChild(tool.call({}, toolContext))
      yield* TestClock.adjust("9 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "late but good")
    }))

  it.effect("invalid arguments are not tried again", () =>
    Effect.gen(function*() {
      const tool = Tool.make({
        name: "typed",
        effects: "read",
        retries: 5,
        parameters: z.object({ a: z.number() }),
        execute: ({ a }) => a
      })
      // a retry would wait for the clock, which does not move
      assert.match((yield* Effect.flip(tool.call({ a: "x" }, toolContext))).message, /^Invalid arguments/)
    }))

  it("a tool whose effect must not be repeated cannot have retries", () => {
    assert.throws(
      () => Tool.make({ name: "pay", retries: 1, execute: () => "ok" }),
      `Tool 'pay': retries would repeat its effect. Set effects to "read" or "idempotent"`
    )
  })
})

describe("the concurrency of a tool", () => {
  it.effect("further calls wait for a place, and waiting does not count as time of the call", () =>
    Effect.gen(function*() {
      let executing = 0
      let most = 0
      const tool = Tool.make({
        name: "narrow",
        concurrency: 2,
        timeout: "10 seconds",
        execute: () =>
          Effect.gen(function*() {
            most = Math.max(most, ++executing)
            yield* Effect.sleep("6 seconds")
            executing--
            return "ok"
          })
      })
      const fiber = yield* Effect.forkChild(
        Effect.all(Array.from({ length: 5 }, () => tool.call({}, toolContext)), { concurrency: "unbounded" })
      )
      yield* TestClock.adjust("18 seconds")
      assert.deepStrictEqual(yield* Fiber.join(fiber), ["ok", "ok", "ok", "ok", "ok"])
      assert.strictEqual(most, 2)
    }))

  it.effect("a call that is interrupted gives its place back", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      let calls = 0
      const tool = Tool.make({
        name: "narrow",
        concurrency: 1,
        execute: () => ++calls === 1 ? Effect.andThen(Deferred.succeed(begun, undefined), Effect.never) : "second"
      })
      const first = yield* Effect.forkChild(tool.call({}, toolContext))
      yield* Deferred.await(begun)
      const second = yield* Effect.forkChild(tool.call({}, toolContext))
      yield* Fiber.interrupt(first)
      assert.strictEqual(yield* Fiber.join(second), "second")
    }))
})

describe("a failure that a tool expects", () => {
  it.effect("an expected failure is a result for the model, and is not logged as an error of the code", () =>
    Effect.gen(function*() {
      const logged: Array<unknown> = []
      const logger = Logger.make(({ message }) => void logged.push(message))
      const expected = new Tool.ToolFailed({ message: "There is no such order" })
      const tool = (error: Error) => Tool.make({ name: "t", execute: () => Effect.fail(error) })
      const failing = (error: Error) =>
        Effect.provide(Effect.flip(tool(error).call({}, toolContext)), Logger.layer([logger]))
      assert.strictEqual((yield* failing(expected)).message, "There is no such order")
      assert.lengthOf(logged, 0)
      yield* failing(new Error("A fault"))
      assert.lengthOf(logged, 1)
    }))
})

describe("the limits of a tool", () => {
  it.each<[Partial<Tool.Options<undefined>>, string]>([
    [{ concurrency: 0 }, "concurrency must be a whole number of at least 1"],
    [{ retries: -1 }, "retries must be a whole number of at least 0"],
    [{ retries: 0.5 }, "retries must be a whole number of at least 0"],
    [{ maxCalls: 0 }, "maxCalls must be a whole number of at least 1"],
    [{ maxResultBytes: 0 }, "maxResultBytes must be a whole number of at least 1"],
    [{ delayBetweenRetries: "soon" as never }, "delayBetweenRetries must be a length of time"],
    [{ timeout: -1 }, "timeout must be a length of time"]
  ])("the invalid setting %j is refused when the tool is made", (options, message) => {
    assert.throws(() => Tool.make({ name: "tool", execute: () => "ok", ...options }), `Tool 'tool': ${message}`)
  })
})
