// Providers whose client is a package that a project installs.
import { assert, describe, it } from "@effect/vitest"
import * as BedrockConverse from "@svc-runtime/test-support/wire/BedrockConverse"
import * as OllamaChat from "@svc-runtime/test-support/wire/OllamaChat"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import { Effect, Redacted } from "effect"
import { createHash, createHmac } from "node:crypto"
import { ModelCatalog, modelProblem, type Options } from "../src/ModelCatalog.ts"
import * as ModelError from "../src/ModelError.ts"
import { providers } from "../src/ModelProviders.ts"
import * as ProviderPackage from "../src/ProviderPackage.ts"
import { streamed, textOf } from "./Asking.ts"

const key = Redacted.make("sk-installed-0123456789")

const resolve = (ref: string, options: Options) =>
  Effect.provide(Effect.flatMap(ModelCatalog, (catalog) => catalog.resolve(ref)), ModelCatalog.layer(options))

const hash = (text: string) => createHash("sha256").update(text).digest("hex")
const sign = (secret: string | Buffer, text: string) => createHmac("sha256", secret).update(text).digest()

describe("a provider whose package is not installed", () => {
  it.effect("models of the provider fail with the package to install", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(resolve("perplexity:sonar", { perplexityApiKey: key }))
      assert.strictEqual(error._tag, "ModelPackageMissing")
      assert.strictEqual(
        error.message,
        "The model perplexity:sonar needs the package @ai-sdk/perplexity, which is not installed. " +
          "Install it in the project of the service: npm install @ai-sdk/perplexity"
      )
    }))

  it("the problem is known before a model is used, after the settings", () => {
    assert.include(
      modelProblem({}, "perplexity:x"),
      "PERPLEXITY_API_KEY is not set, and the model perplexity:x needs it."
    )
    assert.include(modelProblem({ perplexityApiKey: key }, "perplexity:x"), "npm install @ai-sdk/perplexity")
    assert.isUndefined(modelProblem({ mistralApiKey: key }, "mistral:x"))
  })
})

describe("a package that does not fit", () => {
  it.effect.each([
    ["@ai-sdk/mistral", "createNothing", "its export createNothing makes no language model"],
    ["zod", "object", "zod@latest"]
  ])("%s with %s is refused with a newer version", ([name = "", make = "", message = ""]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(ProviderPackage.model("mistral:x", "x", { name, make }, {}))
      assert.include(error.message, message)
    }))
})

describe("the settings of a provider", () => {
  it.effect.each<readonly [ref: string, options: Options, message: string]>([
    ["bedrock:m", {}, "AWS_REGION and AWS_BEARER_TOKEN_BEDROCK are not set, and the model bedrock:m needs them."],
    ["bedrock:m", { bedrockRegion: "us-east-1", bedrockAccessKeyId: key }, "AWS_SECRET_ACCESS_KEY is not set"],
    ["azure:m", { azureApiKey: key }, "AZURE_RESOURCE_NAME is not set, and the model azure:m needs it."],
    ["vertex:m", { vertexProject: "p" }, "GOOGLE_VERTEX_LOCATION is not set"],
    ["openrouter:m/n", {}, "OPENROUTER_API_KEY is not set, and the model openrouter:m/n needs it."]
  ])("%s without some says which to set", ([ref, options, message]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(resolve(ref, options))
      assert.strictEqual(error._tag, "ModelNotConfigured")
      assert.include(error.message, message)
    }))

  it("each provider has the settings that it needs, and its secrets are secrets", () => {
    for (const [name, { needs, secrets }] of Object.entries(providers)) {
      assert.isAbove(needs.length, 0, name)
      assert.strictEqual(secrets.length === 0, name === "ollama", name)
    }
  })

  it.effect("Ollama needs none, and a model that it does not have is named", () =>
    Effect.gen(function*() {
      const server = yield* OllamaChat.make
      yield* server.script(Reply.text("Hel", "lo"), Reply.failure(404, "model 'qwen3' not found"))
      const model = yield* resolve("ollama:qwen3", { ollamaBaseUrl: server.url })
      assert.strictEqual(textOf(yield* streamed(model)), "Hello")
      const error = yield* Effect.flip(streamed(model))
      assert.include(ModelError.describe(error).message, "Ollama does not know the model qwen3")
      assert.strictEqual((yield* server.requests)[0]?.path, "/api/chat")
    }))

  it.effect("requests to Bedrock are signed with the keys and the region", () =>
    Effect.gen(function*() {
      const secret = "wJalrXUtnFEMI-example-key"
      const server = yield* BedrockConverse.make
      yield* server.script(Reply.text("Signed"))
      const model = yield* resolve("bedrock:amazon.nova-lite-v1:0", {
        bedrockRegion: "eu-central-1",
        bedrockAccessKeyId: Redacted.make("AKIAEXAMPLE"),
        bedrockSecretAccessKey: Redacted.make(secret),
        bedrockSessionToken: Redacted.make("session-token"),
        bedrockBaseUrl: server.url
      })
      assert.strictEqual(textOf(yield* streamed(model)), "Signed")
      const [request] = yield* server.requests
      assert.isDefined(request)
      const { body, headers, path } = request
      const given =
        /^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE\/(\d{8}\/eu-central-1\/bedrock\/aws4_request), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/
          .exec(headers.authorization ?? "")
      assert.isNotNull(given)
      const [, scope = "", names = "", signature] = given
      assert.include(names, "x-amz-security-token")
      const canonical = [
        "POST",
        path.split("/").map((part) => encodeURIComponent(part)).join("/"),
        "",
        ...names.split(";").map((name) => `${name}:${String(headers[name])}`),
        "",
        names,
        hash(JSON.stringify(body))
      ].join("\n")
      const text = ["AWS4-HMAC-SHA256", String(headers["x-amz-date"]), scope, hash(canonical)].join("\n")
      const signing = scope.split("/").reduce<string | Buffer>((secret, part) => sign(secret, part), `AWS4${secret}`)
      assert.strictEqual(signature, sign(signing, text).toString("hex"))
    }))
})
