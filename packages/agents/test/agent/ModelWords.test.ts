// Words that a model gives to the listener of its reader, beside the stream of its answer.
import { assert, describe, it } from "@effect/vitest"
import { ByteLimits, defaultByteLimits } from "@svc-runtime/engine/limits/ByteLimits"
import * as CurrentWork from "@svc-runtime/engine/node/CurrentWork"
import type { Model } from "@svc-runtime/models/Model"
import { WordListener } from "@svc-runtime/models/WordListener"
import { Effect, Stream } from "effect"
import { Prompt, Response } from "effect/ai"
import * as ModelStep from "../../src/agent/execute/model/ModelStep.ts"

const word = (delta: string) => Response.makePart("text-delta", { id: "t", delta })

/** Answers with texts. The listener gets all but the first, and what it does not take is in the stream. */
const modelOf = (first: string, ...texts: ReadonlyArray<string>): Model => {
  const languageModel = {
    streamText: () =>
      Stream.unwrap(Effect.map(WordListener, (listening) => {
        assert.strictEqual(listening?.model as unknown, languageModel)
        const left = () => texts.map(word).filter((each) => listening?.take([each]) !== true)
        return Stream.concat(Stream.succeed(word(first)), Stream.suspend(() => Stream.fromIterable(left())))
      }))
  }
  return { id: "m", name: "m", provider: "m", languageModel: languageModel as never }
}

const ask = (model: Model, shown: Array<string>) =>
  ModelStep.once({
    model,
    prompt: Prompt.make("Hi"),
    toolkit: undefined,
    toolChoice: "auto",
    format: { type: "text" },
    stream: true,
    onText: (delta) => shown.push(delta) > 0,
    onReasoning: undefined
  })

describe("words beside the stream of an answer", () => {
  it.effect("words are shown and kept like those of the stream", () =>
    Effect.gen(function*() {
      const shown: Array<string> = []
      const { parts, text } = yield* ask(modelOf("One", " two", " three"), shown)
      assert.deepStrictEqual(shown, ["One", " two", " three"])
      assert.strictEqual(text, "One two three")
      assert.deepStrictEqual(parts.map((part) => "delta" in part && part.delta), ["One two three"])
    }))

  it.effect("words come through the stream while the run has no room for events", () =>
    Effect.gen(function*() {
      const shown: Array<string> = []
      const waits: Array<string> = []
      const hasRoom = Effect.sync(() => void waits.push(shown.join("")))
      const { text } = yield* CurrentWork.within({ isFull: () => true, hasRoom })(ask(modelOf("One", " two"), shown))
      assert.deepStrictEqual([text, waits], ["One two", ["One", "One two"]])
    }))

  it.effect("words that make the answer too large end it, and are not shown", () =>
    Effect.gen(function*() {
      const shown: Array<string> = []
      const error = yield* ask(modelOf("One", " two", " three"), shown).pipe(
        Effect.provideService(ByteLimits, { ...defaultByteLimits, output: 10 }),
        Effect.flip
      )
      assert.include(error.message, "OUTPUT_MAX_BYTES")
      assert.deepStrictEqual(shown, ["One", " two"])
    }))
})
