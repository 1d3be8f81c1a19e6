// The providers that can be named in a model reference: how they are shown, which settings they need, and how their
// client is made. A client package is imported when its first model is resolved, because each costs tens of
// milliseconds. Keys and base URLs are always passed explicitly; the clients would otherwise read the environment.
import { Effect, Redacted } from "effect"
import type { AiSdkLanguageModel } from "./AiSdkModel.ts"
import * as BoundedFetch from "./BoundedFetch.ts"
import type { ModelSettings } from "./ModelSettings.ts"

export interface Credentials {
  readonly openaiApiKey?: Redacted.Redacted | undefined
  readonly openaiBaseUrl?: string | undefined
  readonly anthropicApiKey?: Redacted.Redacted | undefined
  readonly anthropicBaseUrl?: string | undefined
  readonly googleApiKey?: Redacted.Redacted | undefined
}

/** The name of the variable of the environment that each setting is read from, for messages. */
export const settingName = {
  openaiApiKey: "OPENAI_API_KEY",
  openaiBaseUrl: "OPENAI_BASE_URL",
  anthropicApiKey: "ANTHROPIC_API_KEY",
  anthropicBaseUrl: "ANTHROPIC_BASE_URL",
  googleApiKey: "GOOGLE_GENERATIVE_AI_API_KEY"
} as const satisfies Record<keyof Credentials, string>

export interface Provider {
  /** The name of the provider for people. */
  readonly provider: string
  /** The name of the client. */
  readonly name: string
  readonly needs: keyof Credentials
  readonly key: (credentials: Credentials) => Redacted.Redacted | undefined
  readonly load: (credentials: Credentials) => Effect.Effect<(modelId: string) => AiSdkLanguageModel>
  readonly settings?: ModelSettings
}

const fetch = BoundedFetch.make()

const reveal = (key: Redacted.Redacted | undefined): string => key === undefined ? "" : Redacted.value(key)

const openai = (credentials: Credentials) =>
  Effect.map(Effect.promise(() => import("@ai-sdk/openai")), ({ createOpenAI }) =>
    createOpenAI({
      fetch,
      apiKey: reveal(credentials.openaiApiKey),
      baseURL: credentials.openaiBaseUrl ?? "https://api.openai.com/v1"
    }))

export const providers: Readonly<Record<string, Provider>> = {
  openai: {
    provider: "OpenAI",
    name: "OpenAIResponses",
    needs: "openaiApiKey",
    key: (credentials) => credentials.openaiApiKey,
    load: (credentials) => Effect.map(openai(credentials), (client) => client.responses),
    // The service stores the history. Answers that are stored at OpenAI have ids that expire.
    settings: { providerOptions: { openai: { store: false } } }
  },
  "openai-chat": {
    provider: "OpenAI",
    name: "OpenAIChat",
    needs: "openaiApiKey",
    key: (credentials) => credentials.openaiApiKey,
    load: (credentials) => Effect.map(openai(credentials), (client) => client.chat)
  },
  anthropic: {
    provider: "Anthropic",
    name: "Claude",
    needs: "anthropicApiKey",
    key: (credentials) => credentials.anthropicApiKey,
    load: (credentials) =>
      Effect.map(Effect.promise(() => import("@ai-sdk/anthropic")), ({ createAnthropic }) =>
        createAnthropic({
          fetch,
          apiKey: reveal(credentials.anthropicApiKey),
          baseURL: credentials.anthropicBaseUrl ?? "https://api.anthropic.com/v1"
        }).messages),
    // Without pings a model that reasons without output would reach the timeout.
    settings: { providerOptions: { anthropic: { includePings: true } } }
  },
  google: {
    provider: "Google",
    name: "Gemini",
    needs: "googleApiKey",
    key: (credentials) => credentials.googleApiKey,
    load: (credentials) =>
      Effect.map(Effect.promise(() => import("@ai-sdk/google")), ({ createGoogle }) =>
        createGoogle({
          fetch,
          apiKey: reveal(credentials.googleApiKey),
          baseURL: "https://generativelanguage.googleapis.com/v1beta"
        }).chat)
  },
  "openai-compatible": {
    provider: "OpenAI-compatible",
    name: "OpenAICompatible",
    needs: "openaiBaseUrl",
    key: (credentials) => credentials.openaiApiKey,
    load: (credentials) =>
      Effect.map(
        Effect.promise(() => import("@ai-sdk/openai-compatible")),
        ({ createOpenAICompatible }) =>
          createOpenAICompatible({
            fetch,
            name: "openaiCompatible",
            baseURL: credentials.openaiBaseUrl ?? "",
            includeUsage: true,
            supportsStructuredOutputs: true,
            ...(credentials.openaiApiKey === undefined ? {} : { apiKey: reveal(credentials.openaiApiKey) })
          }).chatModel
      )
  }
}
