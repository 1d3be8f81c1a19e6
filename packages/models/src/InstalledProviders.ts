// The providers whose client is a package that the project of the service installs. Keys and addresses are passed to
// clients explicitly; what is left out has the default of the client.
import type { Provider } from "./Provider.ts"
import * as ProviderPackage from "./ProviderPackage.ts"
import { type Credentials, reveal, secretName, type SettingName } from "./ProviderSettings.ts"

interface Installed extends Pick<Provider, "name" | "needs" | "provider" | "settings"> {
  readonly client: ProviderPackage.ProviderPackage
  /** The settings that are options of the client. */
  readonly options: Readonly<Record<string, SettingName>>
  readonly fixed?: Readonly<Record<string, unknown>>
}

const make = ({ client, fixed, options, ...rest }: Installed): Provider => {
  const entries = Object.entries(options)
  const given = (credentials: Credentials) =>
    entries.flatMap(([option, name]) => {
      const value = credentials[name]
      return value === undefined ? [] : [[option, reveal(value)] as const]
    })
  return {
    ...rest,
    client,
    secrets: entries.map(([, name]) => name).filter((name) => name in secretName) as Provider["secrets"],
    load: (credentials, ref, modelId, fetch) =>
      ProviderPackage.model(ref, modelId, client, { fetch, ...fixed, ...Object.fromEntries(given(credentials)) })
  }
}

type Keyed = keyof {
  [
    Name in SettingName as Name extends `${infer Prefix}ApiKey` ?
      `${Prefix}BaseUrl` extends SettingName ? Prefix : never
      : never
  ]: true
}

/** A provider that needs its key, and whose address can be set. */
const keyed = (
  settings: Keyed,
  [provider, name]: readonly [provider: string, name: string],
  client: ProviderPackage.ProviderPackage
): Provider =>
  make({
    provider,
    name,
    client,
    needs: [[`${settings}ApiKey`]],
    options: { apiKey: `${settings}ApiKey`, baseURL: `${settings}BaseUrl` }
  })

const aiSdk = (name: string, make: string): ProviderPackage.ProviderPackage => ({ name: `@ai-sdk/${name}`, make })

export const installedProviders = {
  alibaba: keyed("alibaba", ["Alibaba", "Alibaba"], aiSdk("alibaba", "createAlibaba")),
  azure: make({
    provider: "Azure",
    name: "AzureOpenAI",
    client: aiSdk("azure", "createAzure"),
    needs: [["azureApiKey", "azureResourceName"], ["azureApiKey", "azureBaseUrl"]],
    options: { apiKey: "azureApiKey", resourceName: "azureResourceName", baseURL: "azureBaseUrl" },
    // The service stores the history. Answers that are stored at Azure have ids that expire.
    settings: { providerOptions: { azure: { store: false }, openai: { store: false } } }
  }),
  baseten: keyed("baseten", ["Baseten", "Baseten"], aiSdk("baseten", "createBaseten")),
  bedrock: make({
    provider: "AWS Bedrock",
    name: "Bedrock",
    client: aiSdk("amazon-bedrock", "createAmazonBedrock"),
    needs: [
      ["bedrockRegion", "bedrockAccessKeyId", "bedrockSecretAccessKey"],
      ["bedrockRegion", "bedrockApiKey"]
    ],
    options: {
      region: "bedrockRegion",
      apiKey: "bedrockApiKey",
      accessKeyId: "bedrockAccessKeyId",
      secretAccessKey: "bedrockSecretAccessKey",
      sessionToken: "bedrockSessionToken",
      baseURL: "bedrockBaseUrl"
    }
  }),
  cerebras: keyed("cerebras", ["Cerebras", "Cerebras"], aiSdk("cerebras", "createCerebras")),
  cohere: keyed("cohere", ["Cohere", "Cohere"], aiSdk("cohere", "createCohere")),
  deepinfra: keyed("deepinfra", ["DeepInfra", "DeepInfra"], aiSdk("deepinfra", "createDeepInfra")),
  deepseek: keyed("deepseek", ["DeepSeek", "DeepSeek"], aiSdk("deepseek", "createDeepSeek")),
  fireworks: keyed("fireworks", ["Fireworks", "Fireworks"], aiSdk("fireworks", "createFireworks")),
  gateway: keyed("gateway", ["Vercel AI Gateway", "AIGateway"], aiSdk("gateway", "createGateway")),
  groq: keyed("groq", ["Groq", "Groq"], aiSdk("groq", "createGroq")),
  huggingface: keyed("huggingface", ["Hugging Face", "HuggingFace"], aiSdk("huggingface", "createHuggingFace")),
  mistral: keyed("mistral", ["Mistral", "Mistral"], aiSdk("mistral", "createMistral")),
  moonshotai: keyed("moonshotai", ["Moonshot AI", "MoonshotAI"], aiSdk("moonshotai", "createMoonshotAI")),
  ollama: make({
    provider: "Ollama",
    name: "Ollama",
    client: { name: "ollama-ai-provider-v2", make: "createOllama" },
    needs: [[]],
    options: { baseURL: "ollamaBaseUrl" }
  }),
  openrouter: make({
    provider: "OpenRouter",
    name: "OpenRouter",
    client: { name: "@openrouter/ai-sdk-provider", make: "createOpenRouter" },
    needs: [["openrouterApiKey"]],
    options: { apiKey: "openrouterApiKey", baseURL: "openrouterBaseUrl" },
    fixed: { compatibility: "strict" }
  }),
  perplexity: keyed("perplexity", ["Perplexity", "Perplexity"], aiSdk("perplexity", "createPerplexity")),
  togetherai: keyed("togetherai", ["Together AI", "TogetherAI"], aiSdk("togetherai", "createTogetherAI")),
  vercel: keyed("vercel", ["Vercel", "V0"], aiSdk("vercel", "createVercel")),
  vertex: make({
    provider: "Google Vertex AI",
    name: "Vertex",
    client: aiSdk("google-vertex", "createVertex"),
    needs: [["vertexProject", "vertexLocation"], ["vertexApiKey"]],
    options: {
      apiKey: "vertexApiKey",
      project: "vertexProject",
      location: "vertexLocation",
      baseURL: "vertexBaseUrl"
    }
  }),
  xai: keyed("xai", ["xAI", "Grok"], aiSdk("xai", "createXai"))
}
