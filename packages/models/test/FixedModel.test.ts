import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { LanguageModel } from "effect/ai"
import * as FixedModel from "../src/FixedModel.ts"
import { finishOf, generated, options, streamed, textOf } from "./Asking.ts"

describe("FixedModel", () => {
  it.effect("the model answers its sentence in six chunks that arrive at once", () =>
    Effect.gen(function*() {
      const arrays: Array<number> = []
      const { languageModel } = FixedModel.model
      yield* Stream.runForEachArray(
        languageModel.streamText({ ...options, prompt: "Hi" }),
        (parts) => Effect.sync(() => arrays.push(parts.length))
      )
      const parts = yield* streamed(FixedModel.model)
      const deltas = parts.filter((part) => part.type === "text-delta")
      assert.strictEqual(deltas.map(({ delta }) => delta).join(""), "Hello from a fixed model.")
      assert.lengthOf(deltas, 6)
      assert.lengthOf(arrays, 1)
    }))

  it.effect("the model always reports the same usage", () =>
    Effect.gen(function*() {
      for (const parts of [yield* streamed(FixedModel.model), yield* generated(FixedModel.model)]) {
        const { reason, usage } = finishOf(parts)
        assert.strictEqual(reason, "stop")
        assert.strictEqual(usage.inputTokens.total, 10)
        assert.strictEqual(usage.outputTokens.total, 6)
        assert.strictEqual(textOf(parts), "Hello from a fixed model.")
      }
    }))

  it.effect("the model is also a layer", () =>
    Effect.gen(function*() {
      const { text } = yield* LanguageModel.generateText({ prompt: "Hi" })
      assert.strictEqual(text, "Hello from a fixed model.")
    }).pipe(Effect.provide(FixedModel.layer)))
})
