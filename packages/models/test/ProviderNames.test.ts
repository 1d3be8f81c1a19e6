// Each provider of models has one name in traces, and its models have their price by any reference to them.
import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock"
import { createAnthropic } from "@ai-sdk/anthropic"
import { createAzure } from "@ai-sdk/azure"
import { createCohere } from "@ai-sdk/cohere"
import { createGoogle } from "@ai-sdk/google"
import { createMistral } from "@ai-sdk/mistral"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { assert, describe, it } from "@effect/vitest"
import * as Prices from "@svc-runtime/telemetry/Prices"
import * as ProviderNames from "@svc-runtime/telemetry/ProviderNames"
import { describe as namesOf } from "../src/ModelCatalog.ts"
import { providers } from "../src/ModelProviders.ts"

const apiKey = "sk-names-0123456789"

const [openai, anthropic, google] = [createOpenAI({ apiKey }), createAnthropic({ apiKey }), createGoogle({ apiKey })]
const [cohere, mistral] = [createCohere({ apiKey }), createMistral({ apiKey })]
const azure = createAzure({ apiKey, resourceName: "mine" })
const bedrock = createAmazonBedrock({ apiKey, region: "eu-central-1" })

const priceOf = ({ id, provider }: ReturnType<typeof namesOf>) =>
  Prices.withList({ models: [] }).of({ id, provider })?.input

describe("the names of providers", () => {
  it("the value in spans has neither spaces nor capitals", () => {
    for (const { provider } of Object.values(providers)) {
      const { genAi, openInference } = ProviderNames.of(provider)
      assert.match(genAi, /^[a-z0-9._-]+$/)
      assert.match(openInference, /^[a-z0-9._-]+$/)
    }
  })

  it("a provider has the same name in spans by its reference, for people and in the AI SDK", () => {
    const objects = {
      openai: [openai.responses("m"), openai.chat("m"), openai.embeddingModel("m")],
      anthropic: [anthropic.messages("m")],
      google: [google.chat("m"), google.embeddingModel("m")],
      azure: [azure.responses("m"), azure.chat("m"), azure.embeddingModel("m")],
      bedrock: [bedrock("m"), bedrock.embeddingModel("m")],
      cohere: [cohere("m"), cohere.embeddingModel("m")],
      mistral: [mistral("m"), mistral.embeddingModel("m")]
    }
    for (const [reference, models] of Object.entries(objects)) {
      const shown = ProviderNames.of(namesOf(`${reference}:m`).provider)
      for (const name of [reference, ...models.map(({ provider }) => provider)]) {
        assert.deepStrictEqual(ProviderNames.of(name), shown, name)
      }
    }
    for (const [reference, { provider }] of Object.entries(providers)) {
      if (reference === "openai-chat") continue
      assert.deepStrictEqual(ProviderNames.of(reference), ProviderNames.of(provider), reference)
    }
  })

  it("a model object of a vendor's client has the price of the model with its name", () => {
    assert.strictEqual(priceOf(namesOf(openai.responses("gpt-5"))), priceOf(namesOf("openai:gpt-5")))
    for (
      const [model, price] of [
        [openai.responses("gpt-5"), 1.25],
        [openai.chat("gpt-5-2025-08-07"), 1.25],
        [anthropic.messages("claude-sonnet-4-5"), 3],
        [google.chat("gemini-2.5-pro"), 1.25]
      ] as const
    ) assert.strictEqual(priceOf(namesOf(model)), price, model.provider)
  })

  it("a model object of another host, or of a client with a name of its own, has no price of the vendor", () => {
    const other = createOpenAICompatible({ name: "other", baseURL: "https://models.example.com/v1" })
    const named = createOpenAI({ apiKey, name: "internal", baseURL: "https://models.example.com/v1" })
    for (
      const model of [
        other("gpt-5"),
        named.responses("gpt-5"),
        azure.responses("gpt-5"),
        bedrock("claude-sonnet-4-5")
      ]
    ) assert.isUndefined(priceOf(namesOf(model)), model.provider)
    assert.isUndefined(priceOf(namesOf("openai-compatible:gpt-5")))
  })
})
