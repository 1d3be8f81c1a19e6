// Files in prompts and in results of tools, as each provider wants them.
import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { assert, describe, it } from "@effect/vitest"
import * as AnthropicMessages from "@svc-runtime/test-support/wire/AnthropicMessages"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import { Effect } from "effect"
import { Prompt } from "effect/ai"
import * as AiSdkModel from "../src/AiSdkModel.ts"
import * as ModelError from "../src/ModelError.ts"
import { streamed } from "./Asking.ts"

const chat = Effect.gen(function*() {
  const server = yield* OpenAiChat.make
  yield* server.script(Reply.text("ok"))
  const model = yield* AiSdkModel.make({
    model: createOpenAI({ baseURL: server.url, apiKey: "k" }).chat("test-model"),
    provider: "OpenAI"
  })
  return { server, model }
})

const claude = Effect.gen(function*() {
  const server = yield* AnthropicMessages.make
  yield* server.script(Reply.text("ok"))
  const model = yield* AiSdkModel.make({
    model: createAnthropic({ baseURL: server.url, apiKey: "k" }).messages("claude-sonnet-4-5")
  })
  return { server, model }
})

const withFile = (mediaType: string, data: string | Uint8Array | URL, fileName?: string) =>
  Prompt.fromMessages([
    Prompt.userMessage({
      content: [
        Prompt.makePart("text", { text: "Look:" }),
        Prompt.makePart("file", { mediaType, data, ...(fileName === undefined ? {} : { fileName }) })
      ]
    })
  ])

const sentContent = (body: Readonly<Record<string, unknown>> | undefined, index = -1): unknown =>
  (body?.messages as ReadonlyArray<{ readonly content: unknown }>).at(index)?.content

const screenshot = Prompt.fromMessages([
  Prompt.userMessage({ content: [Prompt.makePart("text", { text: "Take a picture" })] }),
  Prompt.assistantMessage({
    content: [Prompt.makePart("tool-call", { id: "call_1", name: "camera", params: {}, providerExecuted: false })]
  }),
  Prompt.toolMessage({
    content: [
      Prompt.makePart("tool-result", {
        id: "call_1",
        name: "camera",
        result: "ignored when there is an output for the model",
        modelOutput: [
          Prompt.makePart("text", { text: "Here it is" }),
          Prompt.makePart("file", { mediaType: "image/png", data: "iVBORw0KGgo=" })
        ],
        isFailure: false,
        providerExecuted: false
      })
    ]
  })
])

describe("Attachments", () => {
  it.effect.each(
    [
      ["base64", "iVBORw0KGgo=", "data:image/png;base64,iVBORw0KGgo="],
      ["a data URL", "data:image/png;base64,iVBORw0KGgo=", "data:image/png;base64,iVBORw0KGgo="],
      ["an address as text", "https://example.com/a.png", "https://example.com/a.png"],
      ["a data URL object", new URL("data:image/png;base64,iVBORw0KGgo="), "data:image/png;base64,iVBORw0KGgo="]
    ] as const
  )("an image can be given as %s", ([, data, url]) =>
    Effect.gen(function*() {
      const { model, server } = yield* chat
      yield* streamed(model, withFile("image/png", data))
      const [request] = yield* server.requests
      assert.deepStrictEqual((sentContent(request?.body) as ReadonlyArray<unknown>)[1], {
        type: "image_url",
        image_url: { url }
      })
    }))

  it.effect("audio is sent as audio", () =>
    Effect.gen(function*() {
      const { model, server } = yield* chat
      yield* streamed(model, withFile("audio/wav", "UklGRg=="))
      const [request] = yield* server.requests
      assert.deepStrictEqual((sentContent(request?.body) as ReadonlyArray<unknown>)[1], {
        type: "input_audio",
        input_audio: { data: "UklGRg==", format: "wav" }
      })
    }))

  it.effect("a PDF is sent with its name", () =>
    Effect.gen(function*() {
      const { model, server } = yield* chat
      yield* streamed(model, withFile("application/pdf", "JVBERi0=", "report.pdf"))
      const [request] = yield* server.requests
      assert.deepStrictEqual((sentContent(request?.body) as ReadonlyArray<unknown>)[1], {
        type: "file",
        file: { filename: "report.pdf", file_data: "data:application/pdf;base64,JVBERi0=" }
      })
    }))

  it.effect.each(
    [
      ["base64", "YSxiCjEsMg=="],
      ["bytes", new TextEncoder().encode("a,b\n1,2")],
      ["a data URL", "data:text/csv,a%2Cb%0A1%2C2"],
      ["UTF-16", Buffer.from("\ufeffa,b\n1,2", "utf16le").toString("base64")]
    ] as const
  )(
    "a text file given as %s is sent as text, because half of the providers refuse it otherwise",
    ([, data]) =>
      Effect.gen(function*() {
        const { model, server } = yield* chat
        yield* streamed(model, withFile("text/csv", data, "data.csv"))
        const [request] = yield* server.requests
        assert.deepStrictEqual((sentContent(request?.body) as ReadonlyArray<unknown>)[1], {
          type: "text",
          text: "<file name=\"data.csv\" type=\"text/csv\">\na,b\n1,2\n</file>"
        })
      })
  )

  it.effect("content that the provider does not take fails readably, before anything is sent", () =>
    Effect.gen(function*() {
      const { model, server } = yield* chat
      const error = yield* Effect.flip(streamed(model, withFile("audio/wav", new URL("https://example.com/a.wav"))))
      assert.strictEqual(error.reason._tag, "InvalidRequestError")
      assert.match(
        ModelError.describe(error).message,
        /^OpenAI does not support this input: .*audio file parts with URLs/
      )
      assert.lengthOf(yield* server.requests, 0)
    }))

  it.effect("an image that a tool returned is part of its result for Claude", () =>
    Effect.gen(function*() {
      const { model, server } = yield* claude
      yield* streamed(model, screenshot)
      const [request] = yield* server.requests
      assert.deepStrictEqual(sentContent(request?.body), [{
        type: "tool_result",
        tool_use_id: "call_1",
        content: [
          { type: "text", text: "Here it is" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } }
        ]
      }])
    }))

  it.effect("an image that a tool returned follows in a message of its own for Chat Completions", () =>
    Effect.gen(function*() {
      const { model, server } = yield* chat
      yield* streamed(model, screenshot)
      const [request] = yield* server.requests
      assert.deepStrictEqual(sentContent(request?.body, -2), "Here it is\n[image/png follows in the next message]")
      assert.deepStrictEqual(sentContent(request?.body), [
        { type: "text", text: "Returned by the tool camera:" },
        { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } }
      ])
    }))
})
