import type { LanguageModelV4 } from "@ai-sdk/provider"
import { assert, describe, it } from "@effect/vitest"
import * as Instruments from "@svc-runtime/telemetry/Instruments"
import * as AnthropicMessages from "@svc-runtime/test-support/wire/AnthropicMessages"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import * as OpenAiResponses from "@svc-runtime/test-support/wire/OpenAiResponses"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import { Effect, Redacted } from "effect"
import * as FixedModel from "../src/FixedModel.ts"
import { defaultModel, ModelCatalog } from "../src/ModelCatalog.ts"
import type { ModelRef, Options } from "../src/ModelCatalog.ts"
import * as ModelError from "../src/ModelError.ts"
import * as RequestOptions from "../src/RequestOptions.ts"
import { streamed, textOf } from "./Asking.ts"

const key = Redacted.make("sk-catalog-0123456789")

const withCatalog = <A, E, R>(options: Options, use: (catalog: ModelCatalog["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.provide(Effect.flatMap(ModelCatalog, use), ModelCatalog.layer(options))

const resolve = (ref: ModelRef, options: Options = {}) => withCatalog(options, (catalog) => catalog.resolve(ref))

const object: LanguageModelV4 = {
  specificationVersion: "v4",
  provider: "acme.chat",
  modelId: "acme-1",
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error("not called")),
  doStream: () => Promise.reject(new Error("not called"))
}

describe("ModelCatalog.describe", () => {
  const { describe: show } = Effect.runSync(withCatalog({}, Effect.succeed))

  it.each([
    ["openai:gpt-5", "gpt-5", "OpenAIResponses", "OpenAI"],
    ["openai-chat:gpt-4o", "gpt-4o", "OpenAIChat", "OpenAI"],
    ["anthropic:claude-sonnet-4-5", "claude-sonnet-4-5", "Claude", "Anthropic"],
    ["google:gemini-2.5-pro", "gemini-2.5-pro", "Gemini", "Google"],
    ["openai-compatible:qwen3:8b", "qwen3:8b", "OpenAICompatible", "OpenAI-compatible"],
    ["demo", "demo", "DemoModel", "Demo"],
    ["demo:demo", "demo", "DemoModel", "Demo"],
    ["fixed", "fixed", "FixedModel", "Fixed"],
    ["acme:x", "x", "acme", "acme"],
    ["constructor", "constructor", "constructor", "constructor"]
  ])("the description of %s has no key", (ref, id, name, provider) => {
    assert.deepStrictEqual(show(ref), { id, name, provider })
  })

  it("a model object is described by its own provider and id", () => {
    assert.deepStrictEqual(show(object), { id: "acme-1", name: "acme.chat", provider: "acme.chat" })
    assert.deepStrictEqual(show({ ...FixedModel.model, id: "mine" }), {
      id: "mine",
      name: "FixedModel",
      provider: "Fixed"
    })
  })
})

describe("ModelCatalog.defaultModel", () => {
  it.each<readonly [Options, string]>([
    [{}, "demo"],
    [{ model: " " }, "demo"],
    [{ googleApiKey: key }, "google:gemini-2.5-pro"],
    [{ anthropicApiKey: key, googleApiKey: key }, "anthropic:claude-sonnet-4-5"],
    [{ openaiApiKey: key, anthropicApiKey: key }, "openai:gpt-5"],
    [{ openaiApiKey: key, model: "fixed" }, "fixed"]
  ])("the default model of %o is %s", (options, expected) => {
    assert.strictEqual(defaultModel(options), expected)
  })
})

describe("ModelCatalog.resolve", () => {
  it.effect.each([
    [
      "acme:x",
      "Unknown model provider 'acme'. Known: openai, openai-chat, anthropic, google, openai-compatible, alibaba, azure"
    ],
    ["gpt-5", "Unknown model 'gpt-5'. Write it as provider:model, for example openai:gpt-5."],
    ["openai:", "The model reference 'openai:' names no model. Write it as openai:<model>"],
    ["toString:x", "Unknown model provider 'toString'."]
  ])("%s is refused with the known providers", ([ref = "", message = ""]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(resolve(ref))
      assert.strictEqual(error._tag, "ModelNotFound")
      assert.include(error.message, message)
    }))

  it.effect.each([
    ["openai:gpt-5", "OPENAI_API_KEY", "model_authentication_error"],
    ["openai-chat:gpt-5", "OPENAI_API_KEY", "model_authentication_error"],
    ["anthropic:claude-sonnet-4-5", "ANTHROPIC_API_KEY", "model_authentication_error"],
    ["google:gemini-2.5-pro", "GOOGLE_GENERATIVE_AI_API_KEY", "model_authentication_error"],
    ["openai-compatible:qwen3", "OPENAI_BASE_URL", "model_provider_error"]
  ])("%s without its setting says what to set", ([ref = "", setting = "", type = ""]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(resolve(ref))
      assert.strictEqual(error._tag, "ModelNotConfigured")
      assert.include(error.message, `${setting} is not set`)
      assert.strictEqual(error.error_type, type)
    }))

  it.effect("an object of an unknown specification is refused", () =>
    Effect.gen(function*() {
      const old = { ...object, specificationVersion: "v2" } as unknown as LanguageModelV4
      const error = yield* Effect.flip(resolve(old))
      assert.strictEqual(error._tag, "ModelNotFound")
      assert.include(error.message, "v3 or v4")
    }))

  it.effect("a model is made once", () =>
    withCatalog({ openaiApiKey: key }, ({ resolve }) =>
      Effect.gen(function*() {
        const first = yield* resolve("openai:gpt-5")
        assert.strictEqual(yield* resolve("openai:gpt-5"), first)
        assert.strictEqual(yield* resolve(object), yield* resolve(object))
        assert.strictEqual(yield* resolve(first), first)
        assert.strictEqual(yield* resolve("fixed"), FixedModel.model)
      })))

  it.effect("openai speaks the Responses API with the key, and leaves no answers there", () =>
    Effect.gen(function*() {
      const server = yield* OpenAiResponses.make
      yield* server.script(Reply.text("Hello"))
      const model = yield* resolve("openai:gpt-5", { openaiApiKey: key, openaiBaseUrl: server.url })
      assert.strictEqual(textOf(yield* streamed(model)), "Hello")
      const [request] = yield* server.requests
      assert.strictEqual(request?.path, "/v1/responses")
      assert.strictEqual(request?.headers.authorization, "Bearer sk-catalog-0123456789")
      assert.strictEqual(request?.body.model, "gpt-5")
      assert.strictEqual(request?.body.store, false)
    }))

  it.effect("openai-chat speaks Chat Completions", () =>
    Effect.gen(function*() {
      const server = yield* OpenAiChat.make
      yield* server.script(Reply.text("Hello"))
      const model = yield* resolve("openai-chat:gpt-4o", { openaiApiKey: key, openaiBaseUrl: server.url })
      assert.strictEqual(textOf(yield* streamed(model)), "Hello")
      assert.strictEqual((yield* server.requests)[0]?.path, "/v1/chat/completions")
    }))

  it.effect("anthropic speaks Messages with the key", () =>
    Effect.gen(function*() {
      const server = yield* AnthropicMessages.make
      yield* server.script(Reply.text("Hello"))
      const options = { anthropicApiKey: key, anthropicBaseUrl: server.url }
      const model = yield* resolve("anthropic:claude-sonnet-4-5", options)
      assert.strictEqual(textOf(yield* streamed(model)), "Hello")
      const [request] = yield* server.requests
      assert.strictEqual(request?.path, "/v1/messages")
      assert.strictEqual(request?.headers["x-api-key"], "sk-catalog-0123456789")
    }))

  it.effect("google is loaded when it is needed", () =>
    Effect.gen(function*() {
      const model = yield* resolve("google:gemini-2.5-pro", { googleApiKey: key })
      assert.deepInclude(model, { id: "gemini-2.5-pro", name: "Gemini", provider: "Google" })
    }))

  it.effect("openai-compatible needs no key, and reports usage", () =>
    Effect.gen(function*() {
      const server = yield* OpenAiChat.make
      yield* server.script(Reply.text("Hello"))
      const model = yield* resolve("openai-compatible:qwen3:8b", { openaiBaseUrl: server.url })
      assert.strictEqual(textOf(yield* streamed(model)), "Hello")
      const [request] = yield* server.requests
      assert.strictEqual(request?.body.model, "qwen3:8b")
      assert.deepStrictEqual(request?.body.stream_options, { include_usage: true })
      assert.isUndefined(request?.headers.authorization)
    }))

  it.effect("settings of a request are merged with those of the provider, and have priority", () =>
    Effect.gen(function*() {
      const server = yield* OpenAiResponses.make
      yield* server.script(Reply.text("Hello"))
      const settings = { maxOutputTokens: 9, providerOptions: { openai: { user: "me" } } }
      const model = yield* withCatalog(
        { openaiApiKey: key, openaiBaseUrl: server.url },
        (catalog) => catalog.resolve("openai:gpt-4o")
      )
      yield* RequestOptions.provide(streamed(model), { settings })
      const [request] = yield* server.requests
      assert.deepInclude(request?.body, { max_output_tokens: 9, user: "me", store: false })
    }))

  it.effect("the series of a stopped provider has the name of the provider, as its models have it", () =>
    Effect.gen(function*() {
      const instruments = Instruments.make()
      const server = yield* OpenAiChat.make
      yield* server.script(Reply.text("Hello"), Reply.text("Hello"))
      const options: Options = { openaiApiKey: key, openaiBaseUrl: server.url }
      yield* withCatalog(
        options,
        (catalog) =>
          Effect.forEach(["openai-chat:gpt-4o", "openai-chat:gpt-5"], (ref) =>
            Effect.gen(function*() {
              const model = yield* catalog.resolve(ref)
              yield* Effect.provideService(streamed(model), Instruments.Instruments, instruments)
              const { provider } = model
              assert.include(instruments.format(), `svc_model_provider_stopped{provider="${provider}"} 0`)
            }))
      )
      assert.lengthOf([...instruments.format().matchAll(/^svc_model_provider_stopped\{/gm)], 1)
    }))

  it.effect("a key of the catalogue never shows in an error", () =>
    Effect.gen(function*() {
      const odd = Redacted.make("an unusual key value")
      const server = yield* OpenAiChat.make
      yield* server.script(Reply.unauthorized("This does not work"))
      const model = yield* resolve("openai-chat:gpt-4o", { openaiApiKey: odd, openaiBaseUrl: server.url })
      const error = yield* Effect.flip(streamed(model))
      assert.strictEqual(
        ModelError.describe(error).message,
        "OpenAI refused the API key (401): This does not work: [redacted]"
      )
      assert.notInclude(JSON.stringify(error) + error.message, "unusual")
    }))
})
