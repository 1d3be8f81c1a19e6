// The providers of embedding models. A client package is imported when its first model is resolved.
import { Effect, type Redacted } from "effect"
import * as BoundedFetch from "./BoundedFetch.ts"
import type { AiSdkEmbeddingModel } from "./Embedder.ts"
import { type Credentials, reveal } from "./ProviderSettings.ts"

export interface EmbeddingProvider {
  /** The name in metrics. */
  readonly provider: string
  readonly needs: keyof Credentials
  readonly key: (credentials: Credentials) => Redacted.Redacted | undefined
  readonly load: (credentials: Credentials) => Effect.Effect<(modelId: string) => AiSdkEmbeddingModel>
}

const fetch = BoundedFetch.make()

export const providers: Readonly<Record<string, EmbeddingProvider>> = {
  openai: {
    provider: "OpenAI",
    needs: "openaiApiKey",
    key: ({ openaiApiKey }) => openaiApiKey,
    load: ({ openaiApiKey, openaiBaseUrl }) =>
      Effect.map(Effect.promise(() => import("@ai-sdk/openai")), ({ createOpenAI }) =>
        createOpenAI({
          fetch,
          apiKey: reveal(openaiApiKey ?? ""),
          baseURL: openaiBaseUrl ?? "https://api.openai.com/v1"
        }).embeddingModel)
  },
  google: {
    provider: "Google",
    needs: "googleApiKey",
    key: ({ googleApiKey }) => googleApiKey,
    load: ({ googleApiKey, googleBaseUrl }) =>
      Effect.map(Effect.promise(() => import("@ai-sdk/google")), ({ createGoogle }) =>
        createGoogle({
          fetch,
          apiKey: reveal(googleApiKey ?? ""),
          baseURL: googleBaseUrl ?? "https://generativelanguage.googleapis.com/v1beta"
        }).embeddingModel)
  },
  "openai-compatible": {
    provider: "OpenAI-compatible",
    needs: "openaiBaseUrl",
    key: ({ openaiApiKey }) => openaiApiKey,
    load: ({ openaiApiKey, openaiBaseUrl }) =>
      Effect.map(
        Effect.promise(() => import("@ai-sdk/openai-compatible")),
        ({ createOpenAICompatible }) =>
          createOpenAICompatible({
            fetch,
            name: "openaiCompatible",
            baseURL: openaiBaseUrl ?? "",
            ...(openaiApiKey === undefined ? {} : { apiKey: reveal(openaiApiKey) })
          }).embeddingModel
      )
  }
}
