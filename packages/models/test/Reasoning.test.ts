// Thoughts of a model come out as reasoning parts, and go back to the provider with whatever it needs to accept them.
import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { assert, describe, it } from "@effect/vitest"
import * as AnthropicMessages from "@svc-runtime/test-support/wire/AnthropicMessages"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import * as OpenAiResponses from "@svc-runtime/test-support/wire/OpenAiResponses"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import { Effect } from "effect"
import { Prompt } from "effect/ai"
import type { Response } from "effect/ai"
import * as AiSdkModel from "../src/AiSdkModel.ts"
import { finishOf, generated, reasoningOf, streamed } from "./Asking.ts"

const thought = Reply.answer({
  reasoning: { chunks: ["I should ", "add."], signature: "signed-by-provider" },
  toolCalls: [{ id: "call_1", name: "add", arguments: ["{\"a\":1,\"b\":2}"] }],
  usage: { input: 50, output: 30, cacheRead: 10, cacheWrite: 5, reasoning: 20 }
})

const question = Prompt.make("Add 1 and 2")

/** The prompt of the next step of a run: what was asked, what the model answered, and the result of its call. */
const next = (parts: ReadonlyArray<Response.AnyPart>): Prompt.Prompt =>
  question.pipe(
    Prompt.concat(Prompt.fromResponseParts(parts)),
    Prompt.concat(Prompt.fromMessages([
      Prompt.toolMessage({
        content: [
          Prompt.makePart("tool-result", {
            id: "call_1",
            name: "add",
            result: 3,
            isFailure: false,
            providerExecuted: false
          })
        ]
      })
    ]))
  )

const ways = [["streamed", streamed], ["not streamed", generated]] as const

describe.each(ways)("Reasoning, %s", (_, ask) => {
  it.effect("Claude gets its signed thought back before its tool call", () =>
    Effect.gen(function*() {
      const server = yield* AnthropicMessages.make
      yield* server.script(thought, Reply.text("3"))
      const settings = { providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens: 1024 } } } }
      const model = yield* AiSdkModel.make({
        model: createAnthropic({ baseURL: server.url, apiKey: "k" }).messages("claude-sonnet-4-5"),
        settings
      })
      const parts = yield* ask(model, question)
      assert.strictEqual(reasoningOf(parts), "I should add.")
      yield* ask(model, next(parts))
      const [first, second] = yield* server.requests
      assert.deepStrictEqual(first?.body.thinking, { type: "enabled", budget_tokens: 1024 })
      assert.deepStrictEqual((second?.body.messages as ReadonlyArray<{ content: unknown }>)[1]?.content, [
        { type: "thinking", thinking: "I should add.", signature: "signed-by-provider" },
        { type: "tool_use", id: "call_1", name: "add", input: { a: 1, b: 2 } }
      ])
    }))

  it.effect("Claude's usage tells what was read from and written to the cache", () =>
    Effect.gen(function*() {
      const server = yield* AnthropicMessages.make
      yield* server.script(thought)
      const model = yield* AiSdkModel.make({
        model: createAnthropic({ baseURL: server.url, apiKey: "k" }).messages("claude-sonnet-4-5")
      })
      const { metadata, usage } = finishOf(yield* ask(model, question))
      assert.strictEqual(usage.inputTokens.total, 50)
      assert.strictEqual(usage.inputTokens.uncached, 35)
      assert.strictEqual(usage.inputTokens.cacheRead, 10)
      assert.strictEqual(usage.inputTokens.cacheWrite, 5)
      assert.strictEqual(usage.outputTokens.reasoning, 20)
      assert.isDefined(metadata.raw_usage)
    }))

  it.effect("the Responses API gets its encrypted thought back when nothing is stored there", () =>
    Effect.gen(function*() {
      const server = yield* OpenAiResponses.make
      yield* server.script(thought, Reply.text("3"))
      const model = yield* AiSdkModel.make({
        model: createOpenAI({ baseURL: server.url, apiKey: "k" }).responses("gpt-5"),
        settings: { providerOptions: { openai: { store: false } } }
      })
      const parts = yield* ask(model, question)
      assert.strictEqual(reasoningOf(parts), "I should add.")
      yield* ask(model, next(parts))
      const [first, second] = yield* server.requests
      assert.strictEqual(first?.body.store, false)
      assert.deepInclude(first?.body.include as ReadonlyArray<unknown>, "reasoning.encrypted_content")
      assert.deepStrictEqual((second?.body.input as ReadonlyArray<unknown>).slice(1), [
        {
          type: "reasoning",
          id: "rs_1",
          encrypted_content: "signed-by-provider",
          summary: [{ type: "summary_text", text: "I should add." }]
        },
        { type: "function_call", call_id: "call_1", name: "add", arguments: "{\"a\":1,\"b\":2}" },
        { type: "function_call_output", call_id: "call_1", output: "3" }
      ])
    }))

  it.effect("an OpenAI-compatible server's reasoning_content is reasoning", () =>
    Effect.gen(function*() {
      const server = yield* OpenAiChat.make
      yield* server.script(thought)
      const client = createOpenAICompatible({ name: "local", baseURL: server.url })
      const model = yield* AiSdkModel.make({ model: client.chatModel("qwen3") })
      assert.strictEqual(reasoningOf(yield* ask(model, question)), "I should add.")
      const [request] = yield* server.requests
      assert.isUndefined(request?.headers.authorization)
    }))
})
