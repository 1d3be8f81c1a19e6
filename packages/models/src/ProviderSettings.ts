// The settings of providers: keys, addresses and regions. The name of each is that of its variable in the environment,
// which is the one that the client of the provider documents, where it documents one.
import { Redacted } from "effect"

export const secretName = {
  openaiApiKey: "OPENAI_API_KEY",
  anthropicApiKey: "ANTHROPIC_API_KEY",
  googleApiKey: "GOOGLE_GENERATIVE_AI_API_KEY",
  alibabaApiKey: "ALIBABA_API_KEY",
  azureApiKey: "AZURE_API_KEY",
  basetenApiKey: "BASETEN_API_KEY",
  bedrockApiKey: "AWS_BEARER_TOKEN_BEDROCK",
  bedrockAccessKeyId: "AWS_ACCESS_KEY_ID",
  bedrockSecretAccessKey: "AWS_SECRET_ACCESS_KEY",
  bedrockSessionToken: "AWS_SESSION_TOKEN",
  cerebrasApiKey: "CEREBRAS_API_KEY",
  cohereApiKey: "COHERE_API_KEY",
  deepinfraApiKey: "DEEPINFRA_API_KEY",
  deepseekApiKey: "DEEPSEEK_API_KEY",
  fireworksApiKey: "FIREWORKS_API_KEY",
  gatewayApiKey: "AI_GATEWAY_API_KEY",
  groqApiKey: "GROQ_API_KEY",
  huggingfaceApiKey: "HUGGINGFACE_API_KEY",
  mistralApiKey: "MISTRAL_API_KEY",
  moonshotaiApiKey: "MOONSHOT_API_KEY",
  openrouterApiKey: "OPENROUTER_API_KEY",
  perplexityApiKey: "PERPLEXITY_API_KEY",
  togetheraiApiKey: "TOGETHER_API_KEY",
  vercelApiKey: "VERCEL_API_KEY",
  vertexApiKey: "GOOGLE_VERTEX_API_KEY",
  xaiApiKey: "XAI_API_KEY"
} as const

export const textName = {
  openaiBaseUrl: "OPENAI_BASE_URL",
  anthropicBaseUrl: "ANTHROPIC_BASE_URL",
  googleBaseUrl: "GOOGLE_GENERATIVE_AI_BASE_URL",
  alibabaBaseUrl: "ALIBABA_BASE_URL",
  azureBaseUrl: "AZURE_BASE_URL",
  azureResourceName: "AZURE_RESOURCE_NAME",
  basetenBaseUrl: "BASETEN_BASE_URL",
  bedrockBaseUrl: "BEDROCK_BASE_URL",
  bedrockRegion: "AWS_REGION",
  cerebrasBaseUrl: "CEREBRAS_BASE_URL",
  cohereBaseUrl: "COHERE_BASE_URL",
  deepinfraBaseUrl: "DEEPINFRA_BASE_URL",
  deepseekBaseUrl: "DEEPSEEK_BASE_URL",
  fireworksBaseUrl: "FIREWORKS_BASE_URL",
  gatewayBaseUrl: "AI_GATEWAY_BASE_URL",
  groqBaseUrl: "GROQ_BASE_URL",
  huggingfaceBaseUrl: "HUGGINGFACE_BASE_URL",
  mistralBaseUrl: "MISTRAL_BASE_URL",
  moonshotaiBaseUrl: "MOONSHOT_BASE_URL",
  ollamaBaseUrl: "OLLAMA_BASE_URL",
  openrouterBaseUrl: "OPENROUTER_BASE_URL",
  perplexityBaseUrl: "PERPLEXITY_BASE_URL",
  togetheraiBaseUrl: "TOGETHER_BASE_URL",
  vercelBaseUrl: "VERCEL_BASE_URL",
  vertexBaseUrl: "GOOGLE_VERTEX_BASE_URL",
  vertexLocation: "GOOGLE_VERTEX_LOCATION",
  vertexProject: "GOOGLE_VERTEX_PROJECT",
  xaiBaseUrl: "XAI_BASE_URL"
} as const

/** The name of the variable of the environment that each setting is read from, for messages. */
export const settingName = { ...secretName, ...textName }

type Secrets = { readonly [Name in keyof typeof secretName]?: Redacted.Redacted | undefined }
type Texts = { readonly [Name in keyof typeof textName]?: string | undefined }

export interface Credentials extends Secrets, Texts {}

export type SettingName = keyof Credentials

export const reveal = (value: Redacted.Redacted | string): string =>
  Redacted.isRedacted(value) ? Redacted.value(value) : value
