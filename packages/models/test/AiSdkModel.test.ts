// What no wire server can be made to send, with models of the AI SDK that exist only in memory.
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart
} from "@ai-sdk/provider"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Exit, Fiber } from "effect"
import { Prompt } from "effect/ai"
import { TestClock } from "effect/testing"
import * as AiSdkModel from "../src/AiSdkModel.ts"
import * as ModelError from "../src/ModelError.ts"
import { callsOf, finishOf, generated, streamed } from "./Asking.ts"
import { streamOf, usage } from "./ModelStreams.ts"

const stop = (unified: LanguageModelV4FinishReason["unified"] = "stop", raw?: string): LanguageModelV4StreamPart => ({
  type: "finish",
  finishReason: { unified, raw },
  usage
})

interface Fake {
  readonly model: LanguageModelV4
  readonly calls: Array<LanguageModelV4CallOptions>
}

/** Streams each of `streams` in turn and generates `content`. */
const fake = (
  streams: ReadonlyArray<ReadonlyArray<LanguageModelV4StreamPart>>,
  content: Array<LanguageModelV4Content> = []
): Fake => {
  const calls: Array<LanguageModelV4CallOptions> = []
  return {
    calls,
    model: {
      specificationVersion: "v4",
      provider: "fake",
      modelId: "fake-1",
      supportedUrls: {},
      doGenerate: (options) => {
        calls.push(options)
        return Promise.resolve({ content, finishReason: { unified: "stop", raw: undefined }, usage, warnings: [] })
      },
      doStream: (options) => {
        calls.push(options)
        return Promise.resolve({ stream: streamOf(streams[calls.length - 1] ?? []) })
      }
    }
  }
}

const answering = (...parts: ReadonlyArray<LanguageModelV4StreamPart>) =>
  AiSdkModel.make({ model: fake([parts]).model, retry: { retries: 0 } })

const text: ReadonlyArray<LanguageModelV4StreamPart> = [
  { type: "stream-start", warnings: [] },
  { type: "text-start", id: "0" },
  { type: "text-delta", id: "0", delta: "Hello" },
  { type: "text-end", id: "0" }
]

const extras: Array<LanguageModelV4Content & LanguageModelV4StreamPart> = [
  { type: "file", mediaType: "image/png", data: { type: "data", data: new Uint8Array([1, 2, 3]) } },
  { type: "file", mediaType: "image/png", data: { type: "data", data: "AQID" } },
  { type: "file", mediaType: "image/png", data: { type: "url", url: new URL("https://example.com/a.png") } },
  { type: "source", sourceType: "url", id: "1", url: "https://example.com/page" },
  { type: "source", sourceType: "url", id: "2", url: "no address" },
  { type: "source", sourceType: "document", id: "3", mediaType: "application/pdf", title: "Report", filename: "r.pdf" },
  { type: "tool-call", toolCallId: "s1", toolName: "hidden_search", input: "{}", providerExecuted: true },
  { type: "tool-result", toolCallId: "s1", toolName: "hidden_search", result: "found" },
  { type: "tool-call", toolCallId: "n1", toolName: "now", input: "{}", providerExecuted: true },
  { type: "tool-result", toolCallId: "n1", toolName: "now", result: { time: 12 } },
  { type: "custom", kind: "fake.thing" }
]

describe("AiSdkModel", () => {
  it.effect.each([["streamed", streamed], ["not streamed", generated]] as const)(
    "an answer has its files and sources, and results only of declared tools: %s",
    ([, ask]) =>
      Effect.gen(function*() {
        const model = yield* AiSdkModel.make({ model: fake([[...extras, stop()]], extras).model })
        const parts = yield* ask(model)
        const files = parts.flatMap((part) => part.type === "file" ? [part.data] : [])
        assert.deepStrictEqual(files, [new Uint8Array([1, 2, 3]), new Uint8Array([1, 2, 3])])
        const sources = parts.flatMap((part) =>
          part.type === "source" ? [part.sourceType === "url" ? part.url.href : `${part.title} ${part.fileName}`] : []
        )
        assert.deepStrictEqual(sources, ["https://example.com/a.png", "https://example.com/page", "Report r.pdf"])
        assert.deepStrictEqual(callsOf(parts), [{ id: "n1", name: "now", params: {} }])
        const results = parts.flatMap((part) => part.type === "tool-result" ? [part.result] : [])
        assert.deepStrictEqual(results, [{ time: 12 }])
      })
  )

  it.effect.each([["streamed", streamed], ["not streamed", generated]] as const)(
    "an answer of reasoning without text is empty, and asked for once more: %s",
    ([, ask]) =>
      Effect.gen(function*() {
        const providerMetadata = { fake: { signature: "s" } }
        const stream: ReadonlyArray<LanguageModelV4StreamPart> = [
          { type: "reasoning-start", id: "0" },
          { type: "reasoning-delta", id: "0", delta: "", providerMetadata },
          { type: "reasoning-end", id: "0" },
          stop()
        ]
        const { calls, model } = fake([stream, stream], [{ type: "reasoning", text: "", providerMetadata }])
        const parts = yield* ask(yield* AiSdkModel.make({ model, retry: { retries: 1, baseDelay: 0 } }))
        assert.lengthOf(calls, 2)
        // the metadata returns to the provider
        assert.deepInclude(parts.map(({ metadata }) => metadata), providerMetadata)
      })
  )

  it.effect("usage is whole numbers, and as the provider wrote it in the metadata", () =>
    Effect.gen(function*() {
      const model = yield* answering(...text, stop())
      const { metadata, usage } = finishOf(yield* streamed(model))
      assert.strictEqual(usage.inputTokens.total, 8)
      assert.isUndefined(usage.inputTokens.cacheRead)
      assert.deepStrictEqual(metadata, { raw_usage: { audio_tokens: 3 } })
    }))

  it.effect("metadata loses only what JSON cannot say", () =>
    Effect.gen(function*() {
      const providerMetadata = { fake: { signature: "s", left_out: undefined, nested: [{ also: undefined }] } }
      const model = yield* answering({ type: "reasoning-start", id: "0", providerMetadata }, ...text, stop())
      const [start] = yield* streamed(model)
      assert.deepStrictEqual(start?.metadata, { fake: { signature: "s", nested: [{}] } })
    }))

  it.effect("times and ids of a response are optional, and a broken time is left out", () =>
    Effect.gen(function*() {
      const model = yield* answering(
        { type: "response-metadata", id: "r1", timestamp: new Date(1000) },
        { type: "response-metadata", timestamp: new Date(Number.NaN) },
        ...text,
        stop()
      )
      const found = (yield* streamed(model)).filter((part) => part.type === "response-metadata")
      assert.deepStrictEqual(found.map((part) => part.timestamp), [DateTime.makeUnsafe(1000), undefined])
    }))

  it.effect.each(
    [
      ["length", undefined, "length"],
      ["content-filter", undefined, "content-filter"],
      ["other", "whatever", "other"],
      ["stop", "pause_turn", "pause"]
    ] as const
  )("the end %s (%s) is decoded as %s", ([unified, raw, expected]) =>
    Effect.gen(function*() {
      const model = yield* answering(...text, stop(unified, raw))
      assert.strictEqual(finishOf(yield* streamed(model)).reason, expected)
    }))

  it.effect("an end that says the stream was interrupted is a failure", () =>
    Effect.gen(function*() {
      const model = yield* answering(...text, stop("interrupted"))
      const error = yield* Effect.flip(streamed(model))
      assert.match(ModelError.describe(error).message, /broke off/)
    }))

  it.effect("an answer that is nothing but an error is a failure", () =>
    Effect.gen(function*() {
      const model = yield* answering({ type: "text-start", id: "0" }, stop("error"))
      const error = yield* Effect.flip(streamed(model))
      assert.match(ModelError.describe(error).message, /without any content/)
    }))

  it.effect("what a failed try announced is not shown", () =>
    Effect.gen(function*() {
      const { calls, model } = fake([
        [{ type: "response-metadata", id: "first" }, { type: "text-start", id: "a" }, {
          type: "error",
          error: { message: "Overloaded", statusCode: 529 }
        }],
        [{ type: "response-metadata", id: "second" }, ...text, stop()]
      ])
      const parts = yield* Effect.flatMap(AiSdkModel.make({ model, retry: { baseDelay: 0 } }), streamed)
      assert.lengthOf(calls, 2)
      assert.deepStrictEqual(parts.map((part) => part.type), [
        "response-metadata",
        "text-start",
        "text-delta",
        "text-end",
        "finish"
      ])
      assert.strictEqual(calls[0]?.abortSignal?.aborted, true)
    }))

  it.effect("the request of a complete answer is not aborted", () =>
    Effect.gen(function*() {
      const { calls, model } = fake([[...text, stop()]])
      yield* Effect.flatMap(AiSdkModel.make({ model }), streamed)
      assert.deepStrictEqual(calls.map(({ abortSignal }) => abortSignal?.aborted), [false])
    }))

  it.effect("a silent stream ends after the idle limit of the clock", () =>
    Effect.gen(function*() {
      const parts = [...text]
      const silence = yield* Deferred.make<void>()
      const silent = new ReadableStream<LanguageModelV4StreamPart>({
        pull: (controller) => {
          const part = parts.shift()
          if (part === undefined) Deferred.doneUnsafe(silence, Exit.void)
          else controller.enqueue(part)
        }
      }, { highWaterMark: 0 })
      const aborted: Array<AbortSignal | undefined> = []
      const model = yield* AiSdkModel.make({
        model: {
          ...fake([]).model,
          doStream: (options: LanguageModelV4CallOptions) => {
            aborted.push(options.abortSignal)
            return Promise.resolve({ stream: silent })
          }
        }
      })
      const fiber = yield* Effect.forkChild(Effect.flip(streamed(model)))
      yield* Deferred.await(silence)
      yield* TestClock.adjust("60 seconds")
      assert.match(ModelError.describe(yield* Fiber.join(fiber)).message, /sent nothing more .* for 1m/)
      assert.isTrue(aborted[0]?.aborted)
    }))

  it.effect("a client that throws instead of rejecting is a failed call", () =>
    Effect.gen(function*() {
      const model = yield* AiSdkModel.make({
        model: {
          ...fake([]).model,
          doStream: () => {
            throw new Error("no such thing")
          }
        }
      })
      assert.strictEqual(ModelError.describe(yield* Effect.flip(streamed(model))).message, "fake failed: no such thing")
    }))

  it.effect("system messages and provider options of messages are passed on, empty texts are not", () =>
    Effect.gen(function*() {
      const { calls, model } = fake([[...text, stop()]])
      const cached = { anthropic: { cacheControl: { type: "ephemeral" } } }
      const prompt = Prompt.fromMessages([
        Prompt.systemMessage({ content: "Be brief", options: cached }),
        Prompt.userMessage({
          content: [Prompt.makePart("text", { text: "Hi" }), Prompt.makePart("text", { text: "" })]
        }),
        Prompt.assistantMessage({ content: [Prompt.makePart("text", { text: "" })] }),
        Prompt.userMessage({ content: [Prompt.makePart("text", { text: "Hello?", options: { openai: null } })] })
      ])
      yield* Effect.flatMap(AiSdkModel.make({ model }), (model) => streamed(model, prompt))
      assert.deepStrictEqual(calls[0]?.prompt, [
        { role: "system", content: "Be brief", providerOptions: cached },
        { role: "user", content: [{ type: "text", text: "Hi" }] },
        { role: "user", content: [{ type: "text", text: "Hello?" }] }
      ])
    }))

  it.effect("a result of a tool carries what the provider wrote on its call", () =>
    Effect.gen(function*() {
      const { calls, model } = fake([[...text, stop()]])
      const prompt = Prompt.fromMessages([
        Prompt.assistantMessage({
          content: [
            Prompt.makePart("tool-call", {
              id: "1",
              name: "now",
              params: {},
              providerExecuted: false,
              options: { google: { thoughtSignature: "t" } }
            })
          ]
        }),
        Prompt.toolMessage({
          content: [
            Prompt.makePart("tool-result", {
              id: "1",
              name: "now",
              result: { type: "execution-denied", reason: "Not today" },
              isFailure: true,
              providerExecuted: false
            })
          ]
        })
      ])
      yield* Effect.flatMap(AiSdkModel.make({ model }), (model) => streamed(model, prompt))
      assert.deepStrictEqual(calls[0]?.prompt[1]?.content, [{
        type: "tool-result",
        toolCallId: "1",
        toolName: "now",
        output: { type: "execution-denied", reason: "Not today" },
        providerOptions: { google: { thoughtSignature: "t" } }
      }])
    }))
})
