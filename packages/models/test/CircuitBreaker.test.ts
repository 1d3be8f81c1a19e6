import { APICallError } from "@ai-sdk/provider"
import { assert, describe, it } from "@effect/vitest"
import * as Instruments from "@svc-runtime/telemetry/Instruments"
import { Deferred, Effect, Fiber, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import * as CircuitBreaker from "../src/CircuitBreaker.ts"
import * as ModelError from "../src/ModelError.ts"
import * as ModelRetry from "../src/ModelRetry.ts"

const source = { provider: "OpenAI", model: "gpt-5", method: "generateText" } as const

const options: CircuitBreaker.Options = { failures: 3, period: "2 seconds", pause: "30 seconds" }

/** A provider whose answers the test changes, behind a breaker. */
const make = (given: CircuitBreaker.Options = options) => {
  const breaker = CircuitBreaker.registry(given)("openai")
  const provider = { status: 503, sent: 0, responseHeaders: {} as Record<string, string> }
  const answer = Effect.suspend(() => {
    provider.sent++
    const { responseHeaders, status: statusCode } = provider
    return statusCode === 200
      ? Effect.succeed("ok")
      : ModelError.fail(
        new APICallError({ message: "no", statusCode, url: "", requestBodyValues: {}, responseHeaders }),
        source
      )
  })
  return { provider, breaker, call: breaker(answer, source) }
}

type Made = ReturnType<typeof make>

/** Three failures, with a second between them. */
const open = Effect.fnUntraced(function*({ call }: Made) {
  for (let count = 0; count < 3; count++) {
    yield* Effect.exit(call)
    yield* TestClock.adjust("1 second")
  }
})

describe("CircuitBreaker", () => {
  it.effect("a provider that fails several times in a row is not requested any more", () =>
    Effect.gen(function*() {
      const made = make()
      yield* open(made)
      const error = yield* Effect.flip(made.call)
      assert.strictEqual(made.provider.sent, 3)
      assert.isTrue(ModelError.isCircuitOpen(error))
      assert.isFalse(ModelError.isRetryable(error))
      assert.strictEqual(
        ModelError.describe(error).message,
        "OpenAI has failed 3 times in a row, and is not requested for another 29s"
      )
    }))

  it.effect("failures that last only a moment do not stop the requests", () =>
    Effect.gen(function*() {
      const { call, provider } = make()
      yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => Effect.exit(call), { concurrency: 6 })
      assert.strictEqual(provider.sent, 6)
      provider.status = 200
      assert.strictEqual(yield* call, "ok")
    }))

  it.effect("an answer between failures begins the count again", () =>
    Effect.gen(function*() {
      const { call, provider } = make()
      for (const status of [503, 503, 200, 503, 503, 200, 503, 503]) {
        provider.status = status
        yield* Effect.exit(call)
        yield* TestClock.adjust("5 seconds")
      }
      assert.strictEqual(provider.sent, 8)
      provider.status = 200
      assert.strictEqual(yield* call, "ok")
    }))

  it.effect.each([400, 401, 404, 429])(
    "a provider that answers with %i does not count as failing",
    (status) =>
      Effect.gen(function*() {
        const made = make()
        made.provider.status = status
        yield* open(made)
        yield* Effect.exit(made.call)
        assert.strictEqual(made.provider.sent, 4)
      })
  )

  it.effect("after the pause one request is sent, and its answer lets the others through", () =>
    Effect.gen(function*() {
      const made = make()
      yield* open(made)
      yield* TestClock.adjust("30 seconds")
      const answer = yield* Deferred.make<string>()
      const probe = made.breaker(Deferred.await(answer), source)
      const probing = yield* Effect.forkChild(probe, { startImmediately: true })
      assert.isTrue(ModelError.isCircuitOpen(yield* Effect.flip(made.call)))
      yield* Deferred.succeed(answer, "ok")
      yield* Fiber.join(probing)
      made.provider.status = 200
      assert.strictEqual(yield* made.call, "ok")
    }))

  it.effect("a failure after the pause begins another one", () =>
    Effect.gen(function*() {
      const made = make()
      yield* open(made)
      yield* TestClock.adjust("30 seconds")
      assert.match(ModelError.describe(yield* Effect.flip(made.call)).message, /\(503\)/)
      assert.isTrue(ModelError.isCircuitOpen(yield* Effect.flip(made.call)))
      yield* TestClock.adjust("29 seconds")
      assert.isTrue(ModelError.isCircuitOpen(yield* Effect.flip(made.call)))
      assert.strictEqual(made.provider.sent, 4)
    }))

  it.effect.each([
    { given: "5", pause: 5 },
    { given: "120", pause: 120 },
    { given: "0", pause: 1 },
    { given: "86400", pause: 600 },
    { given: "soon", pause: 30 }
  ])(
    "after the delay $given of a provider that is stopped, it is requested again after $pause seconds",
    ({ given, pause }) =>
      Effect.gen(function*() {
        const made = make({ ...options, failures: 2, period: 0 })
        const { call, provider } = made
        provider.responseHeaders = { "retry-after": given }
        yield* Effect.exit(call)
        yield* Effect.exit(call)
        yield* TestClock.adjust((pause - 1) * 1000 + 999)
        assert.isTrue(ModelError.isCircuitOpen(yield* Effect.flip(call)))
        assert.strictEqual(provider.sent, 2)
        yield* TestClock.adjust(1)
        yield* Effect.exit(call)
        assert.strictEqual(provider.sent, 3)
        yield* TestClock.adjust(pause * 1000)
        provider.status = 200
        assert.strictEqual(yield* call, "ok", "and after a failure of the request that tries")
      })
  )

  it.effect("a delay of the provider is kept when later failures have none", () =>
    Effect.gen(function*() {
      const { breaker, call, provider } = make({ ...options, failures: 1, period: 0 })
      const gate = yield* Deferred.make<void>()
      const late = breaker(
        Effect.andThen(Deferred.await(gate), ModelError.fail(new TypeError("fetch failed"), source)),
        source
      )
      const waiting = yield* Effect.forkChild(Effect.exit(late), { startImmediately: true })
      provider.responseHeaders = { "retry-after": "60" }
      yield* Effect.exit(call)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(waiting)
      yield* TestClock.adjust("59 seconds")
      yield* Effect.exit(call)
      assert.strictEqual(provider.sent, 1)
    }))

  it.effect("an interrupted request after the pause leaves the next one to try", () =>
    Effect.gen(function*() {
      const made = make()
      yield* open(made)
      yield* TestClock.adjust("30 seconds")
      const probing = yield* Effect.forkChild(made.breaker(Effect.never, source), { startImmediately: true })
      yield* Fiber.interrupt(probing)
      made.provider.status = 200
      assert.strictEqual(yield* made.call, "ok")
    }))

  it.effect("a request after the pause that is interrupted at any moment leaves the next one to try", () =>
    Effect.gen(function*() {
      for (let moment = 0; moment < 60; moment++) {
        const made = make()
        yield* open(made)
        yield* TestClock.adjust("30 seconds")
        const probe = Effect.provideService(
          made.breaker(Effect.never, source),
          References.MaxOpsBeforeYield,
          2 + moment % 4
        )
        const probing = yield* Effect.forkChild(probe)
        for (let turn = 0; turn < Math.floor(moment / 4); turn++) yield* Effect.yieldNow
        yield* Fiber.interrupt(probing)
        made.provider.status = 200
        assert.strictEqual(yield* made.call, "ok", `interrupted at moment ${moment}`)
      }
    }))

  it.effect("a request that opens the breaker fails at once with its own failure, without the delay of a retry", () =>
    Effect.gen(function*() {
      const { call, provider } = make({ ...options, failures: 1, period: 0 })
      const retried = ModelRetry.retry(call, ModelRetry.policy({ baseDelay: "1 hour" }), source)
      const error = yield* Effect.flip(retried)
      assert.strictEqual(provider.sent, 1)
      assert.isTrue(ModelError.isCircuitOpen(error))
      assert.match(ModelError.describe(error).message, /\(503\)/)
    }))

  it.effect("a request that was sent before the breaker opened, and fails after it, is not retried", () =>
    Effect.gen(function*() {
      const { breaker, call, provider } = make({ ...options, failures: 2, period: 0 })
      const gate = yield* Deferred.make<void>()
      const late = breaker(
        Effect.andThen(Deferred.await(gate), ModelError.fail(new TypeError("fetch failed"), source)),
        source
      )
      const retried = ModelRetry.retry(late, ModelRetry.policy({ baseDelay: "1 hour" }), source)
      const waiting = yield* Effect.forkChild(Effect.flip(retried), { startImmediately: true })
      yield* Effect.exit(call)
      yield* Effect.exit(call)
      yield* Deferred.succeed(gate, undefined)
      assert.isFalse(ModelError.isRetryable(yield* Fiber.join(waiting)))
      assert.strictEqual(provider.sent, 2)
    }))

  it.effect("providers are stopped one by one", () =>
    Effect.gen(function*() {
      const breakerOf = CircuitBreaker.registry(options)
      const failing = breakerOf("openai")(ModelError.fail(new TypeError("fetch failed"), source), source)
      yield* open({ ...make(), call: failing })
      assert.isTrue(ModelError.isCircuitOpen(yield* Effect.flip(failing)))
      assert.strictEqual(yield* breakerOf("google")(Effect.succeed("ok"), source), "ok")
      assert.strictEqual(breakerOf("openai"), breakerOf("openai"))
    }))

  it.effect("without a number of failures the provider is always requested", () =>
    Effect.gen(function*() {
      const made = make({ ...options, failures: 0 })
      yield* open(made)
      yield* Effect.exit(made.call)
      assert.strictEqual(made.provider.sent, 4)
    }))

  it.effect("the log has one line when a provider is stopped and one when it answers again, and a gauge shows it", () => {
    const lines: Array<unknown> = []
    const instruments = Instruments.make()
    const shown = () => /svc_model_provider_stopped\{provider="openai"\} (\d)/.exec(instruments.format())?.[1]
    return Effect.gen(function*() {
      const made = make()
      yield* open(made)
      yield* Effect.exit(made.call)
      assert.strictEqual(shown(), "1")
      yield* TestClock.adjust("30 seconds")
      yield* Effect.exit(made.call)
      yield* TestClock.adjust("30 seconds")
      made.provider.status = 200
      yield* made.call
      yield* made.call
      assert.strictEqual(shown(), "0")
      assert.deepStrictEqual(lines, [
        "Warn Circuit opened: the model provider is not requested for 30s",
        "Warn Circuit closed: the model provider answers again"
      ])
    }).pipe(
      Effect.provideService(Instruments.Instruments, instruments),
      Effect.provide(Logger.layer([Logger.make(({ logLevel, message }) => {
        lines.push(`${logLevel} ${String([message].flat()[0])}`)
      })]))
    )
  })
})
