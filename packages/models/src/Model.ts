// A model for the runtime: a `LanguageModel` of `effect/ai` with the names that discovery, run outputs and usage
// records show. All differences between providers are inside `languageModel`.
import type { ModelSettings } from "@svc-runtime/domain/ModelSettings"
import type { Effect, Stream } from "effect"
import type { AiError, LanguageModel, Response, Tool } from "effect/ai"

export interface Model {
  /** The provider's own id of the model, for example `gpt-5`. */
  readonly id: string
  /** The name of its client, for example `OpenAIResponses`. */
  readonly name: string
  /** The name of the provider for people, for example `OpenAI`. */
  readonly provider: string
  readonly languageModel: LanguageModel.LanguageModel
  /** Whether it is known to read images and documents of a type. Left out: nothing is known. */
  readonly reads?: ((mediaType: string) => boolean) | undefined
  /** Spans of its requests show them. Those of the request have priority. */
  readonly settings?: ModelSettings | undefined
}

/** Requests with or without tools. The overloads of `LanguageModel` separate them; at run time they are the same. */
export interface AnyRequests {
  readonly generateText: (
    options: object
  ) => Effect.Effect<LanguageModel.GenerateTextResponse<Record<string, Tool.Any>>, AiError.AiError>
  readonly streamText: (options: object) => Stream.Stream<Response.AnyPart, AiError.AiError>
}

export const anyRequests = ({ languageModel }: Model): AnyRequests => languageModel as unknown as AnyRequests
