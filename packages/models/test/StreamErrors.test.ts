// Errors that providers send inside a stream whose status was 200, and answers without content.
import { createAnthropic } from "@ai-sdk/anthropic"
import { createGoogleGenerativeAI } from "@ai-sdk/google"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { assert, describe, it } from "@effect/vitest"
import * as AnthropicMessages from "@svc-runtime/test-support/wire/AnthropicMessages"
import * as GoogleGenerate from "@svc-runtime/test-support/wire/GoogleGenerate"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import * as OpenAiResponses from "@svc-runtime/test-support/wire/OpenAiResponses"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import { event } from "@svc-runtime/test-support/wire/WireServer"
import { Effect } from "effect"
import * as AiSdkModel from "../src/AiSdkModel.ts"
import * as ModelError from "../src/ModelError.ts"
import { finishOf, generated, streamed, textOf } from "./Asking.ts"

const events = (data: { readonly type?: string; readonly [key: string]: unknown }): Reply.Reply =>
  Reply.raw(event(data, data.type), "text/event-stream")

const retry = { baseDelay: 0 }

describe("StreamErrors", () => {
  it.effect("an overloaded Claude is asked again", () =>
    Effect.gen(function*() {
      const server = yield* AnthropicMessages.make
      const overloaded = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }
      yield* server.script(events(overloaded), Reply.text("Hello"))
      const client = createAnthropic({ baseURL: server.url, apiKey: "k" })
      const model = yield* AiSdkModel.make({ model: client.messages("claude-sonnet-4-5"), retry })
      assert.strictEqual(textOf(yield* streamed(model)), "Hello")
      assert.lengthOf(yield* server.requests, 2)
    }))

  it.effect("a failed response of the Responses API says why", () =>
    Effect.gen(function*() {
      const server = yield* OpenAiResponses.make
      const response = { id: "resp_1", created_at: 1, model: "m", error: { code: "server_error", message: "It broke" } }
      yield* server.script(events({ type: "response.failed", sequence_number: 0, response }))
      const client = createOpenAI({ baseURL: server.url, apiKey: "k" })
      const model = yield* AiSdkModel.make({
        model: client.responses("gpt-5"),
        provider: "OpenAI",
        retry: { retries: 0 }
      })
      const error = yield* Effect.flip(streamed(model))
      assert.strictEqual(ModelError.describe(error).message, "OpenAI failed (500): It broke")
    }))

  it.effect("an error chunk of an OpenAI-compatible server says why", () =>
    Effect.gen(function*() {
      const server = yield* OpenAiChat.make
      yield* server.script(events({ error: { message: "Out of memory", type: "server_error", code: 500 } }))
      const client = createOpenAICompatible({ name: "local", baseURL: server.url })
      const model = yield* AiSdkModel.make({ model: client.chatModel("m"), provider: "Local", retry: { retries: 0 } })
      const error = yield* Effect.flip(streamed(model))
      assert.strictEqual(ModelError.describe(error).message, "Local failed (500): Out of memory")
    }))

  it.effect.each(
    [["streamed", streamed], ["not streamed", generated]] as const
  )(
    "an answer without content is asked for once more, and an empty one is allowed then: %s",
    ([, ask]) =>
      Effect.gen(function*() {
        const server = yield* AnthropicMessages.make
        yield* server.script(Reply.answer({}), Reply.text("Hello"), Reply.answer({}), Reply.answer({}))
        const client = createAnthropic({ baseURL: server.url, apiKey: "k" })
        const model = yield* AiSdkModel.make({ model: client.messages("claude-sonnet-4-5"), retry })
        assert.strictEqual(textOf(yield* ask(model)), "Hello")
        const parts = yield* ask(model)
        assert.strictEqual(textOf(parts), "")
        assert.strictEqual(finishOf(parts).reason, "stop")
        assert.lengthOf(yield* server.requests, 4)
      })
  )

  it.effect.each(
    [["streamed", streamed], ["not streamed", generated]] as const
  )("the tokens of an empty answer that is asked for again are counted: %s", ([, ask]) =>
    Effect.gen(function*() {
      const server = yield* AnthropicMessages.make
      const usage = { input: 10, output: 2 }
      yield* server.script(
        Reply.answer({ usage }),
        Reply.answer({ text: ["Hello"], usage }),
        Reply.answer({
          text: ["Again"],
          usage
        })
      )
      const client = createAnthropic({ baseURL: server.url, apiKey: "k" })
      const model = yield* AiSdkModel.make({ model: client.messages("claude-sonnet-4-5"), retry })
      const counted = finishOf(yield* ask(model)).usage
      assert.deepStrictEqual([counted.inputTokens.total, counted.outputTokens.total], [20, 4])
      const { inputTokens, outputTokens } = finishOf(yield* ask(model)).usage
      assert.deepStrictEqual([inputTokens.total, outputTokens.total], [10, 2])
    }))

  it.effect.each(
    [["streamed", streamed], ["not streamed", generated]] as const
  )("an empty answer is the answer if no retry is left: %s", ([, ask]) =>
    Effect.gen(function*() {
      const server = yield* AnthropicMessages.make
      yield* server.script(Reply.answer({}))
      const client = createAnthropic({ baseURL: server.url, apiKey: "k" })
      const model = yield* AiSdkModel.make({ model: client.messages("claude-sonnet-4-5"), retry: { retries: 0 } })
      assert.strictEqual(finishOf(yield* ask(model)).reason, "stop")
      assert.lengthOf(yield* server.requests, 1)
    }))

  it.effect.each(
    [["streamed", streamed], ["not streamed", generated]] as const
  )("an answer that was cut off without content is not asked for again: %s", ([, ask]) =>
    Effect.gen(function*() {
      const server = yield* OpenAiChat.make
      yield* server.script(Reply.answer({ finish: "length" }))
      const client = createOpenAI({ baseURL: server.url, apiKey: "k" })
      const model = yield* AiSdkModel.make({ model: client.chat("m"), retry })
      assert.strictEqual(finishOf(yield* ask(model)).reason, "length")
      assert.lengthOf(yield* server.requests, 1)
    }))

  it.effect("a stream without a single event is an error", () =>
    Effect.gen(function*() {
      const server = yield* OpenAiChat.make
      yield* server.script(Reply.raw("", "text/event-stream"))
      const client = createOpenAI({ baseURL: server.url, apiKey: "k" })
      const model = yield* AiSdkModel.make({ model: client.chat("m"), provider: "OpenAI", retry: { retries: 0 } })
      const error = yield* Effect.flip(streamed(model))
      assert.match(ModelError.describe(error).message, /broke off before the answer of m was complete/)
    }))
})

describe("a call of a tool that Gemini could not read", () => {
  const raw = { candidates: [{ index: 0, content: {}, finishReason: "MALFORMED_FUNCTION_CALL" }], modelVersion: "m" }

  it.effect.each(
    [
      ["streamed", streamed, Reply.raw(event(raw), "text/event-stream")],
      ["not streamed", generated, Reply.raw(JSON.stringify(raw), "application/json")]
    ] as const
  )("the answer ends with this reason instead of a failure (%s)", ([, ask, reply]) =>
    Effect.gen(function*() {
      const server = yield* GoogleGenerate.make
      yield* server.script(reply)
      const client = createGoogleGenerativeAI({ baseURL: server.url, apiKey: "k" })
      const model = yield* AiSdkModel.make({ model: client("gemini-2.5-pro"), retry })
      assert.propertyVal(finishOf(yield* ask(model))?.metadata, "unreadable_call", true)
      assert.lengthOf(yield* server.requests, 1)
    }))
})
