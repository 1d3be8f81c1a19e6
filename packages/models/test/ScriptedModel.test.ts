import { assert, describe, it } from "@effect/vitest"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Fiber } from "effect"
import * as ModelError from "../src/ModelError.ts"
import * as RequestOptions from "../src/RequestOptions.ts"
import { callsOf, finishOf, generated, movie, reasoningOf, streamed, textOf } from "./Asking.ts"

const turn = [
  Script.signedReasoning({ anthropic: { signature: "s" } }, "Hm", "m"),
  Script.text("Let me ", "see"),
  Script.toolCall("add", { a: 1, b: 2 }),
  Script.toolCall("fly", "no json", "mine"),
  Script.usage({ input: 10, output: 5, cacheRead: 4, reasoning: 2 })
]

describe("ScriptedModel", () => {
  it.effect.each([["streamed", streamed], ["not streamed", generated]] as const)(
    "the model answers with its script, one turn after the other: %s",
    ([, ask]) =>
      Effect.gen(function*() {
        const script = yield* Script.make([turn, [Script.text("Done")]])
        const parts = yield* ask(script.model)
        assert.strictEqual(reasoningOf(parts), "Hmm")
        assert.strictEqual(textOf(parts), "Let me see")
        assert.deepStrictEqual(callsOf(parts), [
          { id: "call_1", name: "add", params: { a: 1, b: 2 } },
          { id: "mine", name: "fly", params: "no json" }
        ])
        const { reason, usage } = finishOf(parts)
        assert.strictEqual(reason, "tool-calls")
        assert.strictEqual(usage.inputTokens.uncached, 6)
        assert.strictEqual(usage.outputTokens.text, 3)
        assert.strictEqual(yield* script.remaining, 1)
        assert.strictEqual(textOf(yield* ask(script.model)), "Done")
      })
  )

  it.effect("the model records the requests", () =>
    Effect.gen(function*() {
      const script = yield* Script.make([
        [Script.text("Hello")],
        ({ prompt }) => [Script.text(`${prompt.content.length}`)]
      ])
      yield* RequestOptions.provide(streamed(script.model, "Hi"), { format: movie })
      assert.strictEqual(textOf(yield* generated(script.model, "Hi")), "1")
      const [call] = yield* script.calls
      assert.deepStrictEqual(call?.tools.map(({ name }) => name), ["add", "now"])
      assert.strictEqual(call?.responseFormat, movie)
      assert.strictEqual((yield* script.prompts)[0]?.[0]?.role, "user")
    }))

  it.effect("the model fails where its script fails", () =>
    Effect.gen(function*() {
      const script = yield* Script.make([[Script.text("Half"), Script.fail("It broke")]])
      const error = yield* Effect.flip(streamed(script.model))
      assert.include(ModelError.describe(error).message, "It broke")
    }))

  it.effect("the model waits where its script waits", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const script = yield* Script.make([[Script.wait(gate), Script.text("Now")], [Script.hang]])
      const fiber = yield* Effect.forkChild(streamed(script.model), { startImmediately: true })
      assert.isUndefined(fiber.pollUnsafe())
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(textOf(yield* Fiber.join(fiber)), "Now")
      const hanging = yield* Effect.forkChild(generated(script.model), { startImmediately: true })
      assert.isUndefined(hanging.pollUnsafe())
      yield* Fiber.interrupt(hanging)
    }))

  it.effect("a call after the last turn fails, and says so", () =>
    Effect.gen(function*() {
      const script = yield* Script.make([])
      const error = yield* Effect.flip(streamed(script.model))
      assert.include(ModelError.describe(error).message, "turn")
    }))
})
