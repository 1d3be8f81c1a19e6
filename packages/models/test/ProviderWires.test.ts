// Each wire format that a name of a model stands for, over real HTTP: the catalogue makes the client from settings.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as AnthropicMessages from "@svc-runtime/test-support/wire/AnthropicMessages"
import * as Azure from "@svc-runtime/test-support/wire/Azure"
import * as BedrockConverse from "@svc-runtime/test-support/wire/BedrockConverse"
import * as CohereChat from "@svc-runtime/test-support/wire/CohereChat"
import * as Gateway from "@svc-runtime/test-support/wire/Gateway"
import * as GoogleGenerate from "@svc-runtime/test-support/wire/GoogleGenerate"
import * as Mistral from "@svc-runtime/test-support/wire/Mistral"
import * as OllamaChat from "@svc-runtime/test-support/wire/OllamaChat"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import * as OpenAiResponses from "@svc-runtime/test-support/wire/OpenAiResponses"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import * as Vertex from "@svc-runtime/test-support/wire/Vertex"
import type * as WireServer from "@svc-runtime/test-support/wire/WireServer"
import { Duration, Effect, Redacted, type Scope, Stream } from "effect"
import type { Response } from "effect/ai"
import { ModelCatalog, type Options } from "../src/ModelCatalog.ts"
import * as ModelError from "../src/ModelError.ts"
import { afterTools, callsOf, finishOf, generated, stream, streamed, textOf } from "./Asking.ts"

Tier.oneIn(2)

const secret = "sk-wires-0123456789abcdef"
const key = Redacted.make(secret)

interface Wire {
  readonly ref: string
  readonly server: Effect.Effect<WireServer.WireServer, never, Scope.Scope>
  readonly settings: (url: string) => Options
  /** Whether the client reports how many tokens came from a cache. */
  readonly hasCache: boolean
  /** Whether requests have a key. */
  readonly hasKey?: false
}

const wires: ReadonlyArray<Wire> = [
  {
    ref: "openai:gpt-5-nano",
    server: OpenAiResponses.make,
    settings: (openaiBaseUrl) => ({ openaiApiKey: key, openaiBaseUrl }),
    hasCache: true
  },
  {
    ref: "openai-compatible:wire",
    server: OpenAiChat.make,
    settings: (openaiBaseUrl) => ({ openaiApiKey: key, openaiBaseUrl }),
    hasCache: true
  },
  {
    ref: "anthropic:claude-sonnet-4-5",
    server: AnthropicMessages.make,
    settings: (anthropicBaseUrl) => ({ anthropicApiKey: key, anthropicBaseUrl }),
    hasCache: true
  },
  {
    ref: "google:gemini-2.5-pro",
    server: GoogleGenerate.make,
    settings: (googleBaseUrl) => ({ googleApiKey: key, googleBaseUrl }),
    hasCache: true
  },
  {
    ref: "mistral:mistral-small-latest",
    server: Mistral.make,
    settings: (mistralBaseUrl) => ({ mistralApiKey: key, mistralBaseUrl }),
    hasCache: false
  },
  {
    ref: "cohere:command-a",
    server: CohereChat.make,
    settings: (cohereBaseUrl) => ({ cohereApiKey: key, cohereBaseUrl }),
    hasCache: false
  },
  {
    ref: "azure:my-deployment",
    server: Azure.make,
    settings: (azureBaseUrl) => ({ azureApiKey: key, azureBaseUrl }),
    hasCache: true
  },
  {
    ref: "bedrock:amazon.nova-lite-v1:0",
    server: BedrockConverse.make,
    settings: (bedrockBaseUrl) => ({ bedrockApiKey: key, bedrockRegion: "eu-central-1", bedrockBaseUrl }),
    hasCache: true
  },
  {
    ref: "vertex:gemini-2.5-pro",
    server: Vertex.make,
    settings: (vertexBaseUrl) => ({ vertexApiKey: key, vertexBaseUrl }),
    hasCache: true
  },
  {
    ref: "gateway:openai/gpt-5-nano",
    server: Gateway.make,
    settings: (gatewayBaseUrl) => ({ gatewayApiKey: key, gatewayBaseUrl }),
    hasCache: true
  },
  {
    ref: "ollama:qwen3:8b",
    server: OllamaChat.make,
    settings: (ollamaBaseUrl) => ({ ollamaBaseUrl }),
    hasCache: false,
    hasKey: false
  }
]

const connect = Effect.fnUntraced(
  function*({ ref, server, settings }: Wire, retry: Options["retry"] = { baseDelay: 0 }) {
    const wire = yield* server
    const options = { ...settings(wire.url), retry }
    const model = yield* Effect.provide(
      Effect.flatMap(ModelCatalog, (catalog) => catalog.resolve(ref)),
      ModelCatalog.layer(options)
    )
    return { model, wire }
  }
)

const ways = [["streamed", streamed], ["not streamed", generated]] as const

describe.each(wires)("$ref", (wire) => {
  describe.each(ways)("%s", (_, ask) => {
    it.effect("an answer is its text, the reason of its end and its usage", () =>
      Effect.gen(function*() {
        const { model, wire: server } = yield* connect(wire)
        const usage = { input: 100, output: 20, ...(wire.hasCache ? { cacheRead: 60 } : {}) }
        yield* server.script(Reply.answer({ text: ["Hel", "lo"], usage }))
        const parts = yield* ask(model)
        assert.strictEqual(textOf(parts), "Hello")
        const finish = finishOf(parts)
        assert.strictEqual(finish.reason, "stop")
        assert.strictEqual(finish.usage.inputTokens.total, 100)
        assert.strictEqual(finish.usage.inputTokens.cacheRead ?? 0, wire.hasCache ? 60 : 0)
        assert.strictEqual(finish.usage.outputTokens.total, 20)
      }))

    it.effect("calls of tools arrive whole, and their results are sent", () =>
      Effect.gen(function*() {
        const { model, wire: server } = yield* connect(wire)
        yield* server.script(
          Reply.answer({
            toolCalls: [
              { id: "call_1", name: "add", arguments: ["{\"a\":", "1,\"b\":2}"] },
              { id: "call_2", name: "now", arguments: ["{}"] }
            ]
          }),
          Reply.text("It is 3")
        )
        const parts = yield* ask(model)
        assert.deepStrictEqual(callsOf(parts).map(({ name, params }) => ({ name, params })), [
          { name: "add", params: { a: 1, b: 2 } },
          { name: "now", params: {} }
        ])
        assert.strictEqual(finishOf(parts).reason, "tool-calls")
        assert.strictEqual(textOf(yield* ask(model, afterTools)), "It is 3")
        const [, request] = yield* server.requests
        assert.include(JSON.stringify(request?.body), "The arguments are no JSON")
      }))

    it.effect("the wait that a provider asks for is known", () =>
      Effect.gen(function*() {
        const { model, wire: server } = yield* connect(wire, { retries: 0 })
        yield* server.script(Reply.failure(429, "Slow down", { headers: { "retry-after": "7" } }))
        const error = yield* Effect.flip(ask(model))
        assert.strictEqual(error.reason._tag, "RateLimitError")
        assert.deepStrictEqual(error.retryAfter, Duration.seconds(7))
        assert.include(ModelError.describe(error).message, "Slow down")
      }))

    it.effect.skipIf(wire.hasKey === false)("a refused key is not shown", () =>
      Effect.gen(function*() {
        const { model, wire: server } = yield* connect(wire)
        yield* server.script(Reply.unauthorized("Wrong key"))
        const error = yield* Effect.flip(ask(model))
        assert.strictEqual(ModelError.describe(error).error_type, "model_authentication_error")
        assert.include(ModelError.describe(error).message, "[redacted]")
        assert.notInclude(JSON.stringify(error) + error.message + error.stack, secret)
      }))
  })

  it.effect("a stream that breaks in the middle fails after what has arrived", () =>
    Effect.gen(function*() {
      const { model, wire: server } = yield* connect(wire)
      yield* server.script(Reply.broken("cut", 4, { text: ["Hel", "lo", " there", " you"] }))
      const seen: Array<Response.AnyPart> = []
      const error = yield* Effect.flip(Stream.runForEach(stream(model), (part) => Effect.sync(() => seen.push(part))))
      assert.match(textOf(seen), /^Hel/)
      assert.strictEqual(ModelError.describe(error).error_type, "model_provider_error")
      assert.lengthOf(yield* server.requests, 1)
    }))
})
