import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Stream } from "effect"
import type { Response } from "effect/ai"
import * as AiSdkModel from "../src/AiSdkModel.ts"
import type { Model } from "../src/Model.ts"
import { type TakeWords, WordListener } from "../src/WordListener.ts"
import * as Asking from "./Asking.ts"
import { streamOf, usage } from "./ModelStreams.ts"

const word = (delta: string, type: "reasoning-delta" | "text-delta" = "text-delta"): LanguageModelV4StreamPart => ({
  type,
  id: type.slice(0, 1),
  delta
})

const signed: LanguageModelV4StreamPart = {
  type: "reasoning-delta",
  id: "r",
  delta: "",
  providerMetadata: { own: { signature: "abc" } }
}

const answer: ReadonlyArray<LanguageModelV4StreamPart> = [
  { type: "stream-start", warnings: [] },
  { type: "reasoning-start", id: "r" },
  word("Hm", "reasoning-delta"),
  word(", well", "reasoning-delta"),
  signed,
  { type: "reasoning-end", id: "r" },
  { type: "text-start", id: "t" },
  word("One"),
  word(" \ud83d"),
  word("\ude00 two"),
  word(" three"),
  { type: "text-end", id: "t" },
  { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage }
]

const modelOf = (stream: () => ReadableStream<LanguageModelV4StreamPart>) =>
  AiSdkModel.make({
    model: {
      specificationVersion: "v4",
      provider: "fake",
      modelId: "fake-1",
      supportedUrls: {},
      doGenerate: () => Promise.reject(new Error("not asked")),
      doStream: () => Promise.resolve({ stream: stream() })
    },
    retry: { retries: 0 }
  })

const modelThatAnswers = modelOf(() => streamOf(answer))

const listened = (
  { languageModel }: Model,
  take: TakeWords,
  onPart: (part: Response.AnyPart) => void = () => {},
  model: object = languageModel
) =>
  Asking.stream({ id: "m", name: "m", provider: "m", languageModel }).pipe(
    Stream.provideService(WordListener, { model: model as never, take }),
    Stream.runForEach((part) => Effect.sync(() => onPart(part)))
  )

const deltaOf = (part: Response.AnyPart): string => "delta" in part ? part.delta : part.type

describe("the listener of an answer", () => {
  it.effect("a listener gets the words of an answer that has begun, in their places among the parts of the stream", () =>
    Effect.gen(function*() {
      const model = yield* modelThatAnswers
      const [all, words]: [Array<Response.AnyPart>, Array<Response.AnyPart>] = [[], []]
      const take: TakeWords = (taken) => {
        words.push(...taken)
        all.push(...taken)
        return true
      }
      yield* listened(model, take, (part) => all.push(part))
      assert.deepStrictEqual(all, [...yield* Asking.streamed(model)])
      assert.deepStrictEqual(words.map(deltaOf), [", well", "One", " ", "\ud83d\ude00 two", " three"])
    }))

  it.effect("a listener leaves words to the stream that it does not take", () =>
    Effect.gen(function*() {
      const model = yield* modelThatAnswers
      const seen: Array<Response.AnyPart> = []
      const refused: Array<string> = []
      const take: TakeWords = (words) => {
        refused.push(...words.map(deltaOf))
        return false
      }
      yield* listened(model, take, (part) => seen.push(part))
      assert.deepStrictEqual(seen, [...yield* Asking.streamed(model)])
      assert.deepStrictEqual(refused, [", well", "One", " ", "\ud83d\ude00 two", " three"])
    }))

  it.effect("a listener gets nothing of models that the asked model asks", () =>
    Effect.gen(function*() {
      const model = yield* modelThatAnswers
      const seen: Array<Response.AnyPart> = []
      yield* listened(model, () => assert.fail("It is another model"), (part) => seen.push(part), {})
      assert.deepStrictEqual(seen, [...yield* Asking.streamed(model)])
    }))

  it.effect("a listener that throws ends the answer", () =>
    Effect.gen(function*() {
      const model = yield* modelThatAnswers
      const exit = yield* Effect.exit(listened(model, () => {
        throw new Error("a mistake of a hook")
      }))
      assert.isTrue(Exit.isFailure(exit) && String(exit.cause).includes("a mistake of a hook"))
    }))

  it.effect("a listener gets no word after its reader was interrupted", () =>
    Effect.gen(function*() {
      const taken: Array<string> = []
      let send: (part: LanguageModelV4StreamPart) => void = () => {}
      const model = yield* modelOf(() =>
        new ReadableStream({
          start: (controller) => {
            send = (part) => controller.enqueue(part)
            for (const part of answer.slice(0, 3)) send(part)
          }
        })
      )
      let interrupt = () => {}
      const take: TakeWords = (words) => {
        taken.push(...words.map(deltaOf))
        interrupt()
        return true
      }
      const fiber = yield* Effect.forkChild(listened(model, take, (part) => {
        if (part.type !== "reasoning-delta") return
        send(word(" first", "reasoning-delta"))
        send(word(" second", "reasoning-delta"))
      }))
      interrupt = () => fiber.interruptUnsafe()
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
      assert.deepStrictEqual(taken, [" first"])
    }))
})
