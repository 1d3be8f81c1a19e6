// The names of providers in spans: the well-known values of the GenAI conventions and of OpenInference.
import { assert, describe, it } from "@effect/vitest"
import * as ProviderNames from "../src/ProviderNames.ts"

/** Of `gen_ai.provider.name`, in the registry of the conventions. */
const wellKnown = [
  "anthropic",
  "aws.bedrock",
  "azure.ai.inference",
  "azure.ai.openai",
  "cohere",
  "deepseek",
  "gcp.gemini",
  "gcp.gen_ai",
  "gcp.vertex_ai",
  "groq",
  "ibm.watsonx.ai",
  "mistral_ai",
  "moonshot_ai",
  "openai",
  "perplexity",
  "x_ai"
]

describe("ProviderNames", () => {
  it("each well-known value of the GenAI conventions is a name of its provider", () => {
    assert.deepStrictEqual(wellKnown.map((name) => ProviderNames.of(name).genAi), wellKnown)
  })

  it.each([
    ["OpenAI", "openai", "openai"],
    ["Anthropic", "anthropic", "anthropic"],
    ["Google", "gcp.gemini", "google"],
    ["Google Vertex AI", "gcp.vertex_ai", "google"],
    ["AWS Bedrock", "aws.bedrock", "aws"],
    ["Azure", "azure.ai.openai", "azure"],
    ["azure.ai.inference", "azure.ai.inference", "azure"],
    ["Mistral", "mistral_ai", "mistralai"],
    ["xAI", "x_ai", "xai"],
    ["Cohere", "cohere", "cohere"],
    ["DeepSeek", "deepseek", "deepseek"],
    ["Groq", "groq", "groq"],
    ["Perplexity", "perplexity", "perplexity"],
    ["Moonshot AI", "moonshot_ai", "moonshot"],
    ["Together AI", "together_ai", "together"],
    ["Fireworks", "fireworks", "fireworks"],
    ["Cerebras", "cerebras", "cerebras"],
    ["Ollama", "ollama", "ollama"]
  ])("%s is %s in the GenAI conventions, and %s in OpenInference", (name, genAi, openInference) => {
    assert.deepStrictEqual(ProviderNames.of(name), { genAi, openInference })
  })

  it.each([
    ["openai.responses", "openai"],
    ["openai.chat", "openai"],
    ["openai.embedding", "openai"],
    ["anthropic.messages", "anthropic"],
    ["google.generative-ai", "gcp.gemini"],
    ["google.generative-ai.interactions", "gcp.gemini"],
    ["google.vertex.chat", "gcp.vertex_ai"],
    ["googleVertex.anthropic.messages", "gcp.vertex_ai"],
    ["vertex.maas.chat", "gcp.vertex_ai"],
    ["amazon-bedrock", "aws.bedrock"],
    ["bedrock.anthropic.messages", "aws.bedrock"],
    ["bedrock-mantle.chat", "aws.bedrock"],
    ["azure.responses", "azure.ai.openai"],
    ["azure.embeddings", "azure.ai.openai"],
    ["azure.deepseek", "azure.ai.openai"],
    ["mistral.chat", "mistral_ai"],
    ["cohere.textEmbedding", "cohere"],
    ["xai.responses", "x_ai"],
    ["groq.chat", "groq"],
    ["moonshotai.chat", "moonshot_ai"],
    ["togetherai.chat", "together_ai"],
    ["gateway", "vercel_ai_gateway"]
  ])("%s of the AI SDK is %s, whatever its API is", (name, genAi) => {
    assert.strictEqual(ProviderNames.of(name).genAi, genAi)
  })

  it("another name is lowercase in both conventions, without the API of the AI SDK", () => {
    for (const name of ["DeepInfra", "deepinfra.chat", "deepinfra"]) {
      assert.deepStrictEqual(ProviderNames.of(name), { genAi: "deepinfra", openInference: "deepinfra" })
    }
    assert.strictEqual(ProviderNames.of("internal.eu.responses").genAi, "internal.eu")
    assert.strictEqual(ProviderNames.of("openai.internal").genAi, "openai.internal")
    assert.strictEqual(ProviderNames.of(".chat").genAi, ".chat")
    assert.strictEqual(ProviderNames.of("constructor").genAi, "constructor")
  })

  it("a provider is the same by each of its names, and not by the API that a name adds", () => {
    assert.isTrue(ProviderNames.isSame("OpenAI", "openai.responses"))
    assert.isTrue(ProviderNames.isSame("AWS Bedrock", "amazon-bedrock"))
    assert.isTrue(ProviderNames.isSame("internal", "Internal.chat"))
    assert.isTrue(ProviderNames.isSame("OpenAI.responses", "openai.responses"))
    assert.isFalse(ProviderNames.isSame("openai.responses", "OpenAI"))
    assert.isFalse(ProviderNames.isSame("OpenAI", "azure.responses"))
    assert.isFalse(ProviderNames.isSame("OpenAI", "openaiCompatible.chat"))
    assert.isFalse(ProviderNames.isSame("Google", "google.vertex.chat"))
    assert.isFalse(ProviderNames.isSame("Anthropic", "bedrock.anthropic.messages"))
  })
})
