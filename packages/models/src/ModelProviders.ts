// The providers that can be named in a model reference: how they are shown, which settings they need, and how their
// client is made. A client package is imported when its first model is resolved, because each costs tens of
// milliseconds. Keys and base URLs are always passed explicitly; the clients would otherwise read the environment.
import { Effect } from "effect"
import { installedProviders } from "./InstalledProviders.ts"
import * as LenientChat from "./LenientChat.ts"
import type { Provider } from "./Provider.ts"
import { type Credentials, reveal } from "./ProviderSettings.ts"

const openai = (credentials: Credentials, fetch: typeof globalThis.fetch) =>
  Effect.map(Effect.promise(() => import("@ai-sdk/openai")), ({ createOpenAI }) =>
    createOpenAI({
      fetch,
      apiKey: reveal(credentials.openaiApiKey ?? ""),
      baseURL: credentials.openaiBaseUrl ?? "https://api.openai.com/v1"
    }))

const included = {
  openai: {
    provider: "OpenAI",
    name: "OpenAIResponses",
    format: "responses",
    needs: [["openaiApiKey"]],
    secrets: ["openaiApiKey"],
    load: (credentials, _, id, fetch) => Effect.map(openai(credentials, fetch), (client) => client.responses(id)),
    // The service stores the history. Answers that are stored at OpenAI have ids that expire.
    settings: { providerOptions: { openai: { store: false } } }
  },
  "openai-chat": {
    provider: "OpenAI",
    name: "OpenAIChat",
    format: "chat",
    needs: [["openaiApiKey"]],
    secrets: ["openaiApiKey"],
    load: (credentials, _, id, fetch) =>
      Effect.map(openai(credentials, LenientChat.around(fetch)), (client) => client.chat(id))
  },
  anthropic: {
    provider: "Anthropic",
    name: "Claude",
    format: "messages",
    needs: [["anthropicApiKey"]],
    secrets: ["anthropicApiKey"],
    load: (credentials, _, id, fetch) =>
      Effect.map(Effect.promise(() => import("@ai-sdk/anthropic")), ({ createAnthropic }) =>
        createAnthropic({
          fetch,
          apiKey: reveal(credentials.anthropicApiKey ?? ""),
          baseURL: credentials.anthropicBaseUrl ?? "https://api.anthropic.com/v1"
        }).messages(id)),
    // Without pings a model that reasons without output would reach the timeout.
    settings: { providerOptions: { anthropic: { includePings: true } } }
  },
  google: {
    provider: "Google",
    name: "Gemini",
    format: "google",
    needs: [["googleApiKey"]],
    secrets: ["googleApiKey"],
    load: (credentials, _, id, fetch) =>
      Effect.map(Effect.promise(() => import("@ai-sdk/google")), ({ createGoogle }) =>
        createGoogle({
          fetch,
          apiKey: reveal(credentials.googleApiKey ?? ""),
          baseURL: credentials.googleBaseUrl ?? "https://generativelanguage.googleapis.com/v1beta"
        }).chat(id))
  },
  "openai-compatible": {
    provider: "OpenAI-compatible",
    name: "OpenAICompatible",
    format: "chat",
    needs: [["openaiBaseUrl"]],
    secrets: ["openaiApiKey"],
    load: (credentials, _, id, fetch) =>
      Effect.map(
        Effect.promise(() => import("@ai-sdk/openai-compatible")),
        ({ createOpenAICompatible }) =>
          createOpenAICompatible({
            fetch: LenientChat.around(fetch),
            name: "openaiCompatible",
            baseURL: credentials.openaiBaseUrl ?? "",
            includeUsage: true,
            supportsStructuredOutputs: true,
            ...(credentials.openaiApiKey === undefined ? {} : { apiKey: reveal(credentials.openaiApiKey ?? "") })
          }).chatModel(id)
      )
  }
} satisfies Readonly<Record<string, Provider>>

export type ProviderName = keyof typeof included | keyof typeof installedProviders

export const providers: Readonly<Record<string, Provider>> = { ...included, ...installedProviders }
