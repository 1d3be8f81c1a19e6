import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as ModelError from "@svc-runtime/models/ModelError"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { fail, finish, reasoning, text, toolCall, usage } from "@svc-runtime/test-support/ScriptedModel"
import { Duration, Effect, Logger } from "effect"
import { AiError } from "effect/ai"
import { run } from "./Harness.ts"

const source = { provider: "Scripted", model: "scripted", method: "streamText" } as const
const late = fail(ModelError.timedOut(source, Duration.minutes(3), false))

const details = (status: number) => ({
  svc: { message: "It does not fit", retryable: false, status, retry_after_millis: null }
})
const invalid = (status: number) =>
  fail(AiError.make({
    module: "Scripted",
    method: "streamText",
    reason: new AiError.InvalidRequestError({ description: "It does not fit", metadata: details(status) })
  }))

const second = (turns: ReadonlyArray<Script.Turn>, id = "second") =>
  Effect.map(Script.make(turns), (script) => ({ ...script, model: { ...script.model, id, provider: "Other" } }))

describe("a run whose model has fallbacks", () => {
  it.effect.each([["streamed", true], ["not streamed", false]] as const)(
    "the next model answers where the first one fails, an event says so, and the run has the model that answered: %s",
    ([, stream]) =>
      Effect.gen(function*() {
        const fallback = yield* second([[text("Hello")]])
        const ran = yield* run({}, [[fail("It is down")]], { stream, fallbacks: [fallback] })
        assert.deepInclude(ran.output, {
          status: "COMPLETED",
          content: "Hello",
          model: "second",
          model_provider: "Other"
        })
        assert.deepInclude(ran.events.find(({ event }) => event === "ModelFallback"), {
          model: "scripted",
          fallback_model: "second",
          fallback_model_provider: "Other",
          reason: "Internal provider error: It is down"
        })
        assert.deepStrictEqual(
          ran.kinds.filter((kind) => kind.startsWith("Model")),
          ["ModelRequestStarted", "ModelFallback", "ModelRequestStarted", "ModelRequestCompleted"]
        )
      })
  )

  it.effect("the next model is requested at once while requests to a provider are stopped, whatever the agent retries", () =>
    Effect.gen(function*() {
      const stopped = fail(ModelError.circuitOpen(source, 10, 5000))
      const ran = yield* run({ retries: 3 }, [[stopped]], { fallbacks: [yield* second([[text("Hello")]])] })
      assert.strictEqual(ran.output.content, "Hello")
      assert.deepInclude(ran.events.find(({ event }) => event === "ModelFallback"), {
        reason: "Scripted has failed 10 times in a row, and is not requested for another 5s"
      })
    }))

  it.effect("the next model is requested at once after a model that was too late, whatever the agent retries", () =>
    Effect.gen(function*() {
      const ran = yield* run({ retries: 3 }, [[late]], { fallbacks: [yield* second([[text("Hello")]])] })
      assert.strictEqual(ran.output.content, "Hello")
      assert.deepInclude(ran.events.find(({ event }) => event === "ModelFallback"), {
        reason: "Scripted did not answer with scripted within 3m"
      })
    }))

  it.effect("a model that was too late is requested once more if the agent retries and there is no other model", () =>
    Effect.gen(function*() {
      const options = { retries: 3, delayBetweenRetries: 0 }
      const ran = yield* run(options, [[late], [late], [text("Hello")]])
      assert.deepInclude(ran.output, {
        status: "ERROR",
        content: "Scripted did not answer with scripted within 3m"
      })
      assert.lengthOf(ran.calls, 2)
    }))

  it.effect("each fallback is requested once, and the run fails with the error of the last one", () =>
    Effect.gen(function*() {
      const [one, other] = [yield* second([[fail("One is down")]]), yield* second([[fail("All are down")]], "third")]
      const ran = yield* run({}, [[fail("It is down")]], { fallbacks: [one, other] })
      assert.deepInclude(ran.output, { status: "ERROR", content: "Internal provider error: All are down" })
      assert.strictEqual(ran.kinds.filter((kind) => kind === "ModelFallback").length, 2)
    }))

  it.effect("the model that has answered gets the later requests of the run", () =>
    Effect.gen(function*() {
      const add = Tool.make({ name: "add", execute: () => 3 })
      const fallback = yield* second([[toolCall("add", {}), usage({ input: 5 })], [text("3"), usage({ input: 7 })]])
      const ran = yield* run({ tools: [add] }, [[fail("It is down")]], { fallbacks: [fallback] })
      assert.strictEqual(ran.output.content, "3")
      assert.strictEqual(yield* fallback.remaining, 0)
      assert.deepInclude(ran.output.metrics?.details?.["model"]?.[0], { id: "second", input_tokens: 12 })
    }))

  it.effect("a request that is invalid for the first model is not sent to others", () =>
    Effect.gen(function*() {
      const fallback = yield* second([[text("Hello")]])
      const ran = yield* run({}, [[invalid(400)]], { fallbacks: [fallback] })
      assert.deepInclude(ran.output, { status: "ERROR", content: "It does not fit" })
      assert.strictEqual(yield* fallback.remaining, 1)
    }))

  it.effect("a model that its provider does not know is replaced", () =>
    Effect.gen(function*() {
      const ran = yield* run({}, [[invalid(404)]], { fallbacks: [yield* second([[text("Hello")]])] })
      assert.strictEqual(ran.output.content, "Hello")
    }))

  it.effect("an answer of which a part was shown is not begun again by another model", () =>
    Effect.gen(function*() {
      const fallback = yield* second([[text("Hello")]])
      const ran = yield* run({}, [[text("Hel"), fail("It is down")]], { fallbacks: [fallback] })
      assert.strictEqual(ran.output.status, "ERROR")
      assert.strictEqual(yield* fallback.remaining, 1)
    }))

  it.effect("an answer that the provider withheld is replaced, and its tokens are counted", () =>
    Effect.gen(function*() {
      const fallback = yield* second([[text("Hello"), usage({ input: 2 })]])
      const refusal = [usage({ input: 5 }), finish("content-filter")]
      const ran = yield* run({}, [refusal], { fallbacks: [fallback] })
      assert.strictEqual(ran.output.content, "Hello")
      assert.strictEqual(ran.output.metrics?.input_tokens, 7)
      const ofModels = ran.output.metrics?.details?.["model"]?.map(({ id, input_tokens }) => [id, input_tokens])
      assert.deepStrictEqual(ofModels, [["scripted", 5], ["second", 2]])
    }))

  it.effect("an answer that the provider withheld after its reasoning was shown is not begun again", () =>
    Effect.gen(function*() {
      const fallback = yield* second([[text("Hello")]])
      yield* run({}, [[reasoning("So"), finish("content-filter")]], { fallbacks: [fallback] })
      assert.strictEqual(yield* fallback.remaining, 1)
    }))

  it.effect("a run whose last answer was cut says why, and a content filter is logged once", () =>
    Effect.gen(function*() {
      const lines: Array<unknown> = []
      const logged = Logger.layer([Logger.make(({ message }) => void lines.push([message].flat()[0]))])
      const cut = yield* Effect.provide(run({}, [[text("Half"), finish("content-filter")]]), logged)
      assert.deepStrictEqual([cut.output.status, cut.output.content], ["COMPLETED", "Half"])
      assert.strictEqual(cut.output.finish_reason, "content_filter")
      assert.include(cut.endEvent, { event: "RunCompleted", finish_reason: "content_filter" })
      assert.deepStrictEqual(lines, ["The content filter of Scripted ended an answer before its end"])
      const long = yield* run({}, [[text("Half"), finish("length")]])
      assert.strictEqual(long.output.finish_reason, "length")
      const whole = yield* run({}, [[text("All")]])
      assert.notProperty(whole.output, "finish_reason")
      const look = Tool.make({ name: "look", execute: () => "it" })
      const later = yield* run({ tools: [look] }, [[toolCall("look"), finish("length")], [text("All")]])
      assert.notProperty(later.output, "finish_reason", "only the last answer counts")
    }))

  it.effect("explicit reasoning falls back too", () =>
    Effect.gen(function*() {
      const step = JSON.stringify({
        title: "Think",
        action: "Look",
        result: "Seen",
        reasoning: "Why not",
        next_action: "final_answer",
        confidence: 1
      })
      const fallback = yield* second([[text(step)], [text("Hello")]])
      const ran = yield* run({ reasoning: true }, [[fail("It is down")]], { fallbacks: [fallback] })
      assert.strictEqual(ran.output.content, "Hello")
      assert.strictEqual(ran.output.reasoning_steps?.length, 1)
    }))

  it.effect("reasoning that was shown is not begun again", () =>
    Effect.gen(function*() {
      const fallback = yield* second([[text("Hello")]])
      const ran = yield* run({}, [[reasoning("So"), fail("It is down")]], { fallbacks: [fallback] })
      assert.strictEqual(ran.output.status, "ERROR")
    }))
})
