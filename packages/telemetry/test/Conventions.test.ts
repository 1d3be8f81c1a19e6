// The attributes of requests to models and embedders, by the names of the GenAI conventions and of OpenInference.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Tracer } from "effect"
import { Prompt } from "effect/ai"
import * as ModelSpan from "../src/ModelSpan.ts"
import * as OperationSpan from "../src/OperationSpan.ts"
import * as Spans from "../src/Spans.ts"
import * as SpanSink from "../src/SpanSink.ts"
import { SpanTracer } from "../src/SpanTracer.ts"

const attributesOf = Effect.fnUntraced(function*<A, E>(effect: Effect.Effect<A, E>) {
  const sink = SpanSink.memory()
  yield* Effect.provideService(effect, Tracer.Tracer, new SpanTracer({ sinks: [sink] }))
  return sink.spans[0]?.attributes
})

const model = {
  id: "gemini-2.5-pro",
  provider: "Google",
  settings: { temperature: 0.2, max_output_tokens: 400, top_p: 0.9 }
}

const chat = ModelSpan.around(
  Effect.succeed({
    text: "Sunny",
    calls: [],
    usage: { input_tokens: 9, cache_read_tokens: 4, cache_write_tokens: 2, output_tokens: 5, reasoning_tokens: 3 },
    timeToFirstToken: undefined,
    response: { id: "response", model: "gemini-2.5-pro-002", finishReason: "tool-calls" }
  }),
  { model, prompt: Prompt.make("How are you?"), stream: false }
)

const ids = {
  run_id: "run",
  session_id: "conversation",
  user_id: null,
  agent_id: "guide",
  team_id: null,
  workflow_id: null
}

describe("conventions", () => {
  it.effect("a request to a model names its conversation, its provider and each kind of tokens", () =>
    Effect.gen(function*() {
      assert.deepInclude(yield* attributesOf(Spans.around(chat, () => ({ name: "invoke_agent guide", run: ids }))), {
        "gen_ai.conversation.id": "conversation",
        "gen_ai.provider.name": "gcp.gemini",
        "gen_ai.usage.cache_read.input_tokens": 4,
        "gen_ai.usage.cache_write.input_tokens": 2,
        "gen_ai.usage.reasoning.output_tokens": 3,
        "llm.provider": "google",
        "llm.token_count.prompt_details.cache_read": 4,
        "llm.token_count.prompt_details.cache_write": 2,
        "llm.token_count.completion_details.reasoning": 3
      })
      assert.notProperty(yield* attributesOf(chat), "gen_ai.conversation.id")
    }))

  it.effect("a request to a model names its settings, and the id, the model and the end of the response", () =>
    Effect.gen(function*() {
      assert.deepInclude(yield* attributesOf(chat), {
        "gen_ai.request.temperature": 0.2,
        "gen_ai.request.max_tokens": 400,
        "gen_ai.request.top_p": 0.9,
        "gen_ai.response.id": "response",
        "gen_ai.response.model": "gemini-2.5-pro-002",
        "gen_ai.response.finish_reasons": ["tool_call"]
      })
      const plain = ModelSpan.around(
        Effect.succeed({ text: "", calls: [], usage: {}, timeToFirstToken: undefined, response: {} }),
        { model: { id: "demo", provider: "Demo" }, prompt: Prompt.make("Hello"), stream: true }
      )
      const names = Object.keys((yield* attributesOf(plain)) ?? {})
      assert.deepStrictEqual(names.filter((name) => /^gen_ai\.(request|response)\./.test(name)).sort(), [
        "gen_ai.request.model",
        "gen_ai.request.stream"
      ])
    }))

  it.effect("a provider has the name of the conventions, by its name for people and by that of the AI SDK", () =>
    Effect.gen(function*() {
      const namesOf = Effect.fnUntraced(function*(provider: string) {
        const attributes = yield* attributesOf(ModelSpan.around(
          Effect.succeed({ text: "", calls: [], usage: {}, timeToFirstToken: undefined, response: {} }),
          { model: { id: "model", provider }, prompt: Prompt.make("Hello"), stream: true }
        ))
        return [attributes?.["gen_ai.provider.name"], attributes?.["llm.provider"]]
      })
      assert.deepStrictEqual(yield* namesOf("AWS Bedrock"), ["aws.bedrock", "aws"])
      assert.deepStrictEqual(yield* namesOf("Mistral"), ["mistral_ai", "mistralai"])
      assert.deepStrictEqual(yield* namesOf("google.generative-ai"), ["gcp.gemini", "google"])
      assert.deepStrictEqual(yield* namesOf("openai.responses"), ["openai", "openai"])
    }))

  it.effect("a request to an embedder names its provider as a request to a model does", () =>
    Effect.gen(function*() {
      for (
        const [provider, model, name] of [
          ["google", "gemini-embedding-001", "gcp.gemini"],
          ["amazon-bedrock", "amazon.titan-embed-text-v2:0", "aws.bedrock"],
          ["openai.embedding", "text-embedding-3-small", "openai"]
        ]
      ) {
        const embedder = { id: `${provider}:${model}`, dimensions: 768 }
        assert.deepInclude(yield* attributesOf(OperationSpan.embeddings(Effect.void, embedder, 1)), {
          "gen_ai.operation.name": "embeddings",
          "gen_ai.provider.name": name,
          "gen_ai.request.model": model
        })
      }
    }))
})
