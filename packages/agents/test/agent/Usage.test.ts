import { assert, describe, it } from "@effect/vitest"
import type * as Json from "@svc-runtime/domain/Json"
import * as Usage from "@svc-runtime/domain/Usage"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall, usage } from "@svc-runtime/test-support/ScriptedModel"
import * as Seed from "@svc-runtime/test-support/Seed"
import { Effect, Fiber, Schema } from "effect"
import { Response } from "effect/ai"
import { TestClock } from "effect/testing"
import * as ModelAnswer from "../../src/agent/execute/model/ModelAnswer.ts"
import { eventsOf, run } from "./Harness.ts"

const add = Tool.make({ name: "add", execute: () => 3 })

describe("usage", () => {
  it.effect("the usage of a run is the sum of all requests, with cached and reasoning tokens", () =>
    Effect.gen(function*() {
      const { output } = yield* run({ tools: [add] }, [
        [toolCall("add"), usage({ input: 10, output: 5, cacheRead: 4, cacheWrite: 2, reasoning: 3 })],
        [text("3"), usage({ input: 20, output: 1, cacheRead: 10 })]
      ])
      const counters = {
        input_tokens: 30,
        output_tokens: 6,
        total_tokens: 36,
        cache_read_tokens: 14,
        cache_write_tokens: 2,
        reasoning_tokens: 3
      }
      assert.deepInclude(output.metrics, counters)
      assert.deepStrictEqual(output.metrics?.details, {
        model: [{ id: "scripted", provider: "Scripted", ...counters }]
      })
    }))

  const usageWith = (cost: Json.Value, input = 1) => {
    const answer = ModelAnswer.make()
    const part = Response.makePart("finish", {
      reason: "stop",
      usage: new Response.Usage({
        inputTokens: { uncached: 1, total: input, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 }
      }),
      metadata: { raw_usage: { cost } }
    })
    ModelAnswer.add(answer, part)
    return answer.usage
  }

  it("the cost that a provider reports counts, unless it is no amount", () => {
    const costWith = (cost: Json.Value) => usageWith(cost).cost
    assert.deepStrictEqual([0.25, 0, -1, "1", null].map(costWith), [0.25, 0, undefined, undefined, undefined])
  })

  it("a cost or a number of tokens that no request has is not accepted from a provider", () => {
    assert.deepStrictEqual([100_000, 1e7, 1e308].map((cost) => usageWith(cost).cost), [100_000, undefined, undefined])
    const inputs = [1e8, -5, Number.MAX_SAFE_INTEGER].map((input) => usageWith(1, input))
    assert.deepStrictEqual(inputs.map(({ input_tokens }) => input_tokens), [1e8, 0, 0])
    assert.deepStrictEqual(inputs.map(({ total_tokens }) => total_tokens), [1e8 + 1, 1, 1])
  })

  it.effect("zero is left out of the usage, except in the event of a request", () =>
    Effect.gen(function*() {
      const ran = yield* run({}, [[text("Yes"), usage({ input: 2, output: 1 })]])
      assert.notProperty(ran.output.metrics, "cache_read_tokens")
      assert.notProperty(ran.output.metrics?.details?.["model"]?.[0], "reasoning_tokens")
      assert.notProperty(ran.output.messages?.at(-1)?.metrics, "reasoning_tokens")
      assert.strictEqual(eventsOf(ran, "ModelRequestCompleted")[0]?.reasoning_tokens, 0)
    }))

  it.effect("each message of the model has its own usage", () =>
    Effect.gen(function*() {
      const { output } = yield* run({ tools: [add] }, [
        [toolCall("add"), usage({ input: 10, output: 5 })],
        [text("3"), usage({ input: 20, output: 1 })]
      ])
      const answers = output.messages?.filter(({ role }) => role === "assistant")
      assert.deepStrictEqual(answers?.map(({ metrics }) => metrics?.total_tokens), [15, 21])
    }))

  it.effect("a request that was retried is counted once", () =>
    Effect.gen(function*() {
      const { output } = yield* run({ retries: 1, delayBetweenRetries: 0 }, [
        [usage({ input: 5 }), Script.fail()],
        [text("Yes"), usage({ input: 7 })]
      ])
      assert.strictEqual(output.metrics?.input_tokens, 7)
    }))
})

describe("time", () => {
  const pause = (duration: "1 second" | "2 seconds") => Script.wait(Effect.sleep(duration))

  it.effect("the duration is that of the run, and the time to the first piece starts with it", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(
        run({ tools: [Tool.make({ name: "slow", execute: () => Effect.sleep("2 seconds") })] }, [
          [pause("1 second"), toolCall("slow")],
          [pause("2 seconds"), text("Yes"), pause("1 second")]
        ])
      )
      yield* TestClock.adjust("10 seconds")
      const ran = yield* Fiber.join(fiber)
      assert.strictEqual(ran.output.metrics?.time_to_first_token, 1)
      assert.strictEqual(ran.output.metrics?.duration, 6)
      assert.deepStrictEqual(eventsOf(ran, "ModelRequestCompleted").map((event) => event.time_to_first_token), [1, 2])
      const answers = ran.output.messages?.flatMap(({ metrics }) => metrics === undefined ? [] : [metrics])
      assert.deepStrictEqual(answers, [
        { time_to_first_token: 1, duration: 1 },
        { time_to_first_token: 2, duration: 3 }
      ])
    }))

  it.effect("the output and its messages have the time of the start, in whole seconds", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_700_000_000_900)
      const { output } = yield* run({}, [[text("Yes")]])
      assert.strictEqual(output.created_at, 1_700_000_000)
      assert.deepStrictEqual(output.messages?.map((message) => message.created_at), [1_700_000_000, 1_700_000_000])
    }))
})

describe("Usage.add", () => {
  it.prop("the addition of usages is commutative", [Usage.Counters, Usage.Counters], ([left, right]) => {
    // money is no whole number, and floating point does not promise more
    assert.deepStrictEqual(Usage.add(left, right), Usage.add(right, left))
  }, { arbitrary: { seed: Seed.seed } })

  // small enough for three of them to be added without rounding
  const Tokens = Schema.Record(
    Schema.Literals(["input_tokens", "output_tokens", "cache_read_tokens"]),
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e12 }))
  )

  it.prop("the addition of usages is associative", [Tokens, Tokens, Tokens], ([a, b, c]) => {
    assert.deepStrictEqual(Usage.add(Usage.add(a, b), c), Usage.add(a, Usage.add(b, c)))
  }, { arbitrary: { seed: Seed.seed } })

  it.prop("the sum with nothing has the same counters, without zeros of tokens", [Usage.Counters], ([usage]) => {
    // adding 0 turns -0 into 0
    const kept = Object.entries(usage).flatMap(([name, value]) =>
      value === undefined || (value === 0 && name !== "cost") ? [] : [[name, value + 0]]
    )
    const sum = Usage.add(usage, {})
    assert.deepStrictEqual(sum, Object.fromEntries(kept))
    assert.deepStrictEqual(Usage.countersOf(usage), sum)
  }, { arbitrary: { seed: Seed.seed } })
})
