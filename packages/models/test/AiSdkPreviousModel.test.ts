// Models of the previous specification of the AI SDK.
import type { LanguageModelV3, LanguageModelV3StreamPart } from "@ai-sdk/provider"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Prompt } from "effect/ai"
import * as AiSdkModel from "../src/AiSdkModel.ts"
import { generated, streamed, textOf } from "./Asking.ts"
import { streamOf, usage } from "./ModelStreams.ts"

describe("AiSdkModel with a model of the previous specification", () => {
  const make = (parts: ReadonlyArray<LanguageModelV3StreamPart>) => {
    const calls: Array<Parameters<LanguageModelV3["doStream"]>[0]> = []
    const model: LanguageModelV3 = {
      specificationVersion: "v3",
      provider: "older",
      modelId: "older-1",
      supportedUrls: {},
      doGenerate: () =>
        Promise.resolve({
          content: [{ type: "text", text: "Hello" }, { type: "file", mediaType: "image/png", data: "AQID" }],
          finishReason: { unified: "stop", raw: undefined },
          usage,
          warnings: []
        }),
      doStream: (options) => {
        calls.push(options)
        return Promise.resolve({ stream: streamOf(parts) })
      }
    }
    return { model, calls }
  }

  it.effect("a model of the previous specification answers in the same way", () =>
    Effect.gen(function*() {
      const { model } = make([
        { type: "text-start", id: "0" },
        { type: "text-delta", id: "0", delta: "Hello" },
        { type: "text-end", id: "0" },
        { type: "file", mediaType: "image/png", data: "AQID" },
        { type: "finish", finishReason: { unified: "stop", raw: undefined }, usage }
      ])
      const made = yield* AiSdkModel.make({ model })
      assert.deepInclude(made, { id: "older-1", name: "older", provider: "older" })
      for (const parts of [yield* streamed(made), yield* generated(made)]) {
        assert.strictEqual(textOf(parts), "Hello")
        const file = parts.find((part) => part.type === "file")
        assert.deepStrictEqual(file?.data, new Uint8Array([1, 2, 3]))
      }
    }))

  it.effect("a model of the previous specification gets files in the form that it supports", () =>
    Effect.gen(function*() {
      const { calls, model } = make([
        { type: "text-start", id: "0" },
        { type: "text-delta", id: "0", delta: "Hello" },
        { type: "finish", finishReason: { unified: "stop", raw: undefined }, usage }
      ])
      const image = (data: string | URL) => Prompt.makePart("file", { mediaType: "image/png", data })
      const prompt = Prompt.fromMessages([
        Prompt.userMessage({ content: [image("AQID"), image(new URL("https://example.com/a.png"))] }),
        Prompt.assistantMessage({
          content: [Prompt.makePart("tool-call", { id: "1", name: "camera", params: {}, providerExecuted: false })]
        }),
        Prompt.toolMessage({
          content: [
            Prompt.makePart("tool-result", {
              id: "1",
              name: "camera",
              result: null,
              modelOutput: [image("AQID")],
              isFailure: false,
              providerExecuted: false
            })
          ]
        })
      ])
      const claude = { ...model, provider: "anthropic.messages" }
      yield* Effect.flatMap(AiSdkModel.make({ model: claude }), (model) => streamed(model, prompt))
      assert.deepStrictEqual(calls[0]?.prompt, [
        {
          role: "user",
          content: [
            { type: "file", data: "AQID", mediaType: "image/png" },
            { type: "file", data: new URL("https://example.com/a.png"), mediaType: "image/png" }
          ]
        },
        { role: "assistant", content: [{ type: "tool-call", toolCallId: "1", toolName: "camera", input: {} }] },
        {
          role: "tool",
          content: [{
            type: "tool-result",
            toolCallId: "1",
            toolName: "camera",
            output: { type: "content", value: [{ type: "image-data", data: "AQID", mediaType: "image/png" }] }
          }]
        }
      ])
    }))
})
