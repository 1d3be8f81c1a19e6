// Replaces a model that cannot be used: its name is unknown, or a key or a package is missing. Every request fails
// with what to change, so the run ends as failed and is stored like any other.
import { Effect, Stream } from "effect"
import { AiError, LanguageModel } from "effect/ai"
import type { Model } from "./Model.ts"
import type { ModelCatalog, ModelName, ModelRef, ResolveError } from "./ModelCatalog.ts"

const reasonOf = (error: ResolveError): AiError.AiErrorReason => {
  const metadata = { svc: { message: error.message, retryable: false, status: null, retry_after_millis: null } }
  return error.error_type === "model_authentication_error"
    ? new AiError.AuthenticationError({ kind: "MissingKey", metadata })
    : new AiError.InvalidRequestError({ description: error.message, metadata })
}

export const make = (name: ModelName, error: ResolveError): Model => {
  const fail = Effect.fail(
    AiError.make({ module: "ModelCatalog", method: "resolve", reason: reasonOf(error) })
  )
  return {
    ...name,
    languageModel: LanguageModel.LanguageModel.of({
      [LanguageModel.TypeId]: LanguageModel.TypeId,
      generateText: () => fail as never,
      generateObject: () => fail as never,
      streamText: () => Stream.fromEffect(fail) as never
    })
  }
}

/** The model of a reference. One that cannot be used fails when it is called. */
export const resolve = (models: ModelCatalog["Service"], ref: ModelRef): Effect.Effect<Model> =>
  Effect.catch(models.resolve(ref), (error) => Effect.succeed(make(models.describe(ref), error)))
