// What is charged for a request to a model, by how it ended.
import { assert, describe, it } from "@effect/vitest"
import type * as Usage from "@svc-runtime/domain/Usage"
import * as CurrentWork from "@svc-runtime/engine/node/CurrentWork"
import * as ModelError from "@svc-runtime/models/ModelError"
import * as ModelRetry from "@svc-runtime/models/ModelRetry"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Fiber } from "effect"
import { AiError, Prompt } from "effect/ai"
import * as ModelPayment from "../../src/agent/execute/model/ModelPayment.ts"

const source = { provider: "OpenAI", model: "gpt-5", method: "generateText" } as const

const failed = (fields: object) => ModelError.fromUnknown(Object.assign(new Error("no"), fields), source, 0)

const unreachable = (code: string) => failed({ cause: Object.assign(new Error(code), { code }) })

const brokenOff = ModelError.interrupted(source)

const output = 100

interface Answer {
  readonly bytes?: number
  readonly usage?: Usage.Counters
}

/** The output tokens that are charged for a request, or zero if it costs nothing. */
const chargedFor = Effect.fnUntraced(function*(
  asking: Effect.Effect<{ readonly usage: Usage.Counters }, AiError.AiError>,
  { bytes = 0, usage = {} }: Answer = {}
) {
  const charged: Array<Usage.Counters | undefined> = []
  const purse = {
    isLimited: () => true,
    ended: Effect.void,
    reserve: () =>
      Effect.succeed({ settle: (given: Usage.Counters | undefined) => Effect.sync(() => void charged.push(given)) })
  }
  const { model } = yield* Script.make([])
  const request = { model, prompt: Prompt.make("hi"), settings: { maxOutputTokens: output } }
  const paying = Effect.exit(ModelPayment.paid(request, asking, { bytes, usage }))
  const fiber = yield* Effect.forkChild(CurrentWork.within({ purse })(paying), { startImmediately: true })
  yield* asking === Effect.never ? Fiber.interrupt(fiber) : Fiber.join(fiber)
  assert.strictEqual(charged.length, 1)
  return charged[0]?.output_tokens ?? 0
})

describe("the payment of a request", () => {
  it.effect.each<[string, AiError.AiError]>([
    ["is refused by its provider", failed({ statusCode: 429 })],
    ["its provider fails to answer", failed({ statusCode: 503 })],
    ["has no connection", unreachable("ECONNREFUSED")],
    ["has no address", unreachable("ENOTFOUND")],
    ["is not sent, because its provider failed before", ModelError.circuitOpen(source, 3, 1000)],
    ["is refused, after which others are not sent", ModelError.stopping(failed({ statusCode: 503 }))],
    ["has no key", failed({ name: "AI_LoadAPIKeyError" })]
  ])("a request that %s costs nothing", ([, error]) =>
    Effect.gen(function*() {
      assert.strictEqual(yield* chargedFor(Effect.fail(error)), 0)
    }))

  it.effect.each<[string, AiError.AiError]>([
    ["whose connection breaks", brokenOff],
    ["whose connection is reset", unreachable("ECONNRESET")],
    ["whose connection breaks, after which others are not sent", ModelError.stopping(brokenOff)],
    ["that is too late", ModelError.timedOut(source, ModelRetry.policy().answerTimeout, false)],
    ["whose answer cannot be read", failed({ name: "AI_TypeValidationError", statusCode: 200 })],
    [
      "whose answer has another shape",
      AiError.make({
        module: "OpenAI",
        method: "generateText",
        reason: new AiError.InvalidOutputError({ description: "usage" })
      })
    ]
  ])("a request %s costs what was reserved", ([, error]) =>
    Effect.gen(function*() {
      assert.strictEqual(yield* chargedFor(Effect.fail(error)), output)
    }))

  it.effect("a request that is cancelled before its answer costs what was reserved", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* chargedFor(Effect.never), output)
    }))

  it.effect("a request that is cancelled while its budget is reserved is not sent, and costs nothing", () =>
    Effect.gen(function*() {
      const charged: Array<unknown> = []
      const isReserved = yield* Deferred.make<void>()
      const settle = (given: unknown) => Effect.sync(() => void charged.push(given))
      const purse = {
        isLimited: () => true,
        ended: Effect.void,
        reserve: () => Effect.as(Deferred.await(isReserved), { settle })
      }
      const { model } = yield* Script.make([])
      let sent = 0
      const asking = Effect.sync(() => {
        sent += 1
        return { usage: {} }
      })
      const request = { model, prompt: Prompt.make("hi") }
      const paying = CurrentWork.within({ purse })(ModelPayment.paid(request, asking, { bytes: 0, usage: {} }))
      const fiber = yield* Effect.forkChild(paying, { startImmediately: true })
      const cancelling = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
      yield* Deferred.succeed(isReserved, undefined)
      yield* Fiber.join(cancelling)
      assert.deepStrictEqual({ charged, sent }, { charged: [undefined], sent: 0 })
    }))

  it.effect("a request that breaks off costs what its provider has reported, or what has arrived", () =>
    Effect.gen(function*() {
      const usage = { output_tokens: 7, total_tokens: 8 }
      assert.strictEqual(yield* chargedFor(Effect.fail(brokenOff), { bytes: 30, usage }), 7)
      assert.strictEqual(yield* chargedFor(Effect.fail(brokenOff), { bytes: 30 }), 10)
    }))

  it.effect("a request that is sent again after its connection broke costs each time", () =>
    Effect.gen(function*() {
      const policy = ModelRetry.policy({ baseDelay: 0 })
      const ending = (...last: ReadonlyArray<AiError.AiError>) => {
        const errors = [unreachable("ECONNREFUSED"), brokenOff, ...last]
        return ModelRetry.retry(
          Effect.suspend(() => {
            const error = errors.shift()
            return error === undefined
              ? Effect.succeed({ usage: { output_tokens: 7, total_tokens: 8, cost: 1 } })
              : Effect.fail(error)
          }),
          policy,
          source
        )
      }
      assert.strictEqual(yield* chargedFor(ending()), output + 7)
      assert.strictEqual(yield* chargedFor(ending(brokenOff, failed({ statusCode: 400 }))), 2 * output)
    }))
})
