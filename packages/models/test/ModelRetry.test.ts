import { APICallError } from "@ai-sdk/provider"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Logger, Ref, References } from "effect"
import type { AiError } from "effect/ai"
import { TestClock } from "effect/testing"
import * as ModelError from "../src/ModelError.ts"
import * as ModelRetry from "../src/ModelRetry.ts"

const source = { provider: "OpenAI", model: "gpt-5", method: "generateText" } as const

const failure = (statusCode: number, responseHeaders: Record<string, string> = {}) =>
  ModelError.fail(
    new APICallError({ message: "no", statusCode, responseHeaders, url: "", requestBodyValues: {} }),
    source
  )

/** Fails with each of `failures` in turn, then succeeds; tells how often it was called. */
const flaky = Effect.fnUntraced(function*(...failures: ReadonlyArray<ReturnType<typeof failure>>) {
  const calls = yield* Ref.make(0)
  const call = Effect.flatMap(
    Ref.getAndUpdate(calls, (n) => n + 1),
    (n): Effect.Effect<string, AiError.AiError> => failures[n] ?? Effect.succeed("ok")
  )
  return { call, calls: Ref.get(calls) }
})

const policy = ModelRetry.policy()

describe("ModelRetry", () => {
  it.effect("a call is retried three times with growing waits, then fails", () =>
    Effect.gen(function*() {
      const { call, calls } = yield* flaky(failure(500), failure(503), failure(529), failure(500))
      const fiber = yield* Effect.forkChild(Effect.exit(ModelRetry.retry(call, policy, source)), {
        startImmediately: true
      })
      assert.strictEqual(yield* calls, 1)
      yield* TestClock.adjust("374 millis")
      assert.strictEqual(yield* calls, 1)
      yield* TestClock.adjust("251 millis")
      assert.strictEqual(yield* calls, 2)
      yield* TestClock.adjust("1250 millis")
      assert.strictEqual(yield* calls, 3)
      yield* TestClock.adjust("2500 millis")
      assert.strictEqual(yield* calls, 4)
      assert.isTrue(Exit.isFailure(yield* Fiber.join(fiber)))
    }))

  it.effect("a retry waits as long as the provider asks", () =>
    Effect.gen(function*() {
      const { call, calls } = yield* flaky(failure(429, { "retry-after": "20" }))
      const fiber = yield* Effect.forkChild(ModelRetry.retry(call, policy, source), { startImmediately: true })
      yield* TestClock.adjust("19999 millis")
      assert.strictEqual(yield* calls, 1)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Fiber.join(fiber), "ok")
    }))

  it.effect("a retry waits until the date that the provider names", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.UTC(2025, 0, 1))
      const { call, calls } = yield* flaky(failure(503, { "retry-after": "Wed, 01 Jan 2025 00:00:05 GMT" }))
      const fiber = yield* Effect.forkChild(ModelRetry.retry(call, policy, source), { startImmediately: true })
      yield* TestClock.adjust("4999 millis")
      assert.strictEqual(yield* calls, 1)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Fiber.join(fiber), "ok")
    }))

  it.effect("a retry never waits longer than its own limit", () =>
    Effect.gen(function*() {
      const { call } = yield* flaky(failure(429, { "retry-after": "3600" }))
      const fiber = yield* Effect.forkChild(ModelRetry.retry(call, policy, source), { startImmediately: true })
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "ok")
    }))

  it.effect.each([400, 401, 403, 404, 422])(
    "a call is not repeated after a status %i",
    (status) =>
      Effect.gen(function*() {
        const { call, calls } = yield* flaky(failure(status))
        yield* Effect.exit(ModelRetry.retry(call, policy, source))
        assert.strictEqual(yield* calls, 1)
      })
  )

  it.effect("a call is retried as often as its options allow", () =>
    Effect.gen(function*() {
      const { call, calls } = yield* flaky(failure(500), failure(500))
      yield* Effect.exit(ModelRetry.retry(call, ModelRetry.policy({ retries: 0 }), source))
      assert.strictEqual(yield* calls, 1)
      yield* ModelRetry.retry(call, ModelRetry.policy({ retries: 1, baseDelay: 0 }), source)
      assert.strictEqual(yield* calls, 3)
    }))

  it.effect("each retry is one warning with the model, its number, the reason and the delay", () =>
    Effect.gen(function*() {
      const lines: Array<unknown> = []
      const logger = Logger.make(({ fiber, logLevel, message }) =>
        void lines.push([logLevel, message, fiber.getRef(References.CurrentLogAnnotations)])
      )
      const { call } = yield* flaky(failure(500), failure(429, { "retry-after": "20" }))
      const fiber = yield* ModelRetry.retry(call, ModelRetry.policy({ baseDelay: 0 }), source).pipe(
        Effect.provide(Logger.layer([logger])),
        Effect.forkChild({ startImmediately: true })
      )
      yield* TestClock.adjust("20 seconds")
      yield* Fiber.join(fiber)
      const text = "Model request failed and is sent again"
      const annotations = { model: "gpt-5", provider: "OpenAI" }
      assert.deepStrictEqual(lines, [
        ["Warn", [text, "OpenAI failed (500): no"], { ...annotations, retry: 1, delay: "0" }],
        [
          "Warn",
          [text, "OpenAI is limiting the rate of requests (429): no. Retry after 20s."],
          { ...annotations, retry: 2, delay: "20s" }
        ]
      ])
    }))

  it.effect("a call over its time limit fails readably and is not repeated", () =>
    Effect.gen(function*() {
      const calls = yield* Ref.make(0)
      const hanging = Effect.andThen(Ref.update(calls, (n) => n + 1), Effect.never)
      const limited = ModelRetry.limit(hanging, Duration.seconds(30), source, false)
      const fiber = yield* Effect.forkChild(Effect.flip(ModelRetry.retry(limited, policy, source)), {
        startImmediately: true
      })
      yield* TestClock.adjust("30 seconds")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(ModelError.describe(error).message, "OpenAI did not answer with gpt-5 within 30s")
      assert.strictEqual(yield* Ref.get(calls), 1)
    }))
})
