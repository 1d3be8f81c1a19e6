// Makes vectors of texts, so that texts with a similar meaning can be found. Any embedding model of the AI SDK is an
// `Embedder`: texts are sent in calls of the size that the model accepts, with the retries of model calls.
import type { EmbeddingModelV3, EmbeddingModelV4 } from "@ai-sdk/provider"
import { Duration, Effect, Predicate } from "effect"
import type { Redacted } from "effect"
import type { AiError } from "effect/ai"
import * as AiSdkStream from "./AiSdkStream.ts"
import * as EmbeddingRate from "./EmbeddingRate.ts"
import * as EmbeddingRequests from "./EmbeddingRequests.ts"
import * as ModelError from "./ModelError.ts"
import * as ModelRetry from "./ModelRetry.ts"

export { awaited, calledBy, EmbeddingCall } from "./EmbeddingRate.ts"

export interface Embedder {
  /** Vectors of different ids cannot be compared. */
  readonly id: string
  /** The length of the vectors; undefined if it is not known before the first call. */
  readonly dimensions: number | undefined
  /** How many texts one call of the model takes. `embedMany` takes any number. */
  readonly maxPerCall: number
  /** One vector for each text, in their order. */
  readonly embedMany: (
    texts: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Float32Array>, AiError.AiError>
}

export type AiSdkEmbeddingModel = EmbeddingModelV4 | EmbeddingModelV3

export interface Options {
  /** The name of the provider in metrics. Default: that of the AI SDK. */
  readonly provider?: string | undefined
  /** The model is asked for vectors of this length, and others are an error. */
  readonly dimensions?: number | undefined
  /** At most what the model accepts. Default: 96. */
  readonly maxPerCall?: number | undefined
  readonly retry?: ModelRetry.Options | undefined
  /** How often it is called. Default: as often as texts come. */
  readonly rate?: EmbeddingRate.Limits | undefined
  /** Values that must never appear in an error message. */
  readonly secrets?: ReadonlyArray<Redacted.Redacted> | undefined
}

const defaultPerCall = 96

/** Calls that are sent at the same time. */
const parallelCalls = 4

export const isAiSdkEmbeddingModel = (value: unknown): value is AiSdkEmbeddingModel =>
  Predicate.hasProperty(value, "specificationVersion") &&
  (value.specificationVersion === "v4" || value.specificationVersion === "v3") &&
  Predicate.hasProperty(value, "doEmbed")

/** The limit of a call. Providers limit tokens, and a byte is at most one token. */
const bytesPerCall = 256 * 1024

interface Batch {
  readonly texts: Array<string>
  bytes: number
}

/** A text that is longer than a batch is one of its own. */
const batchesOf = (texts: ReadonlyArray<string>, size: number): ReadonlyArray<Batch> => {
  const batches: Array<Batch> = []
  const encoder = new TextEncoder()
  for (const text of texts) {
    const bytes = encoder.encode(text).length
    const last = batches.at(-1)
    if (last === undefined || last.texts.length === size || last.bytes + bytes > bytesPerCall) {
      batches.push({ texts: [text], bytes })
    } else {
      last.texts.push(text)
      last.bytes += bytes
    }
  }
  return batches
}

const isVector = (vector: ReadonlyArray<number>, dimensions: number | undefined): boolean =>
  vector.length > 0 && vector.length === dimensions && vector.every(Number.isFinite)

export const ofAiSdk = Effect.fnUntraced(function*(model: AiSdkEmbeddingModel, options: Options = {}) {
  const limit = yield* Effect.promise(() => Promise.resolve(model.maxEmbeddingsPerCall))
  const isParallel = yield* Effect.promise(() => Promise.resolve(model.supportsParallelCalls))
  const maxPerCall = Math.max(1, Math.min(options.maxPerCall ?? defaultPerCall, limit ?? defaultPerCall))
  const policy = ModelRetry.policy(options.retry)
  const source: ModelError.Source = {
    provider: model.provider,
    model: model.modelId,
    method: "embedMany",
    secrets: options.secrets
  }

  const requested = options.dimensions === undefined ? {} : { dimensions: options.dimensions }

  const rate = EmbeddingRate.make(options.rate)

  /** All calls wait as long as the provider asks one of them to. */
  const pause = (error: AiError.AiError) => {
    const millis = ModelError.detailsOf(error)?.retry_after_millis
    return typeof millis === "number" ? rate.pause(Math.min(millis, Duration.toMillis(policy.maxDelay))) : Effect.void
  }

  const named = { provider: options.provider ?? model.provider, id: model.modelId }

  const call = ({ bytes, texts: values }: Batch) => {
    const attempt = AiSdkStream.attempt(
      (abortSignal) => model.doEmbed({ values: values.map((text) => text.toWellFormed()), abortSignal, ...requested }),
      source
    ).pipe(
      (attempt) => ModelRetry.limit(attempt, policy.answerTimeout, source, false),
      Effect.tapError(pause)
    )
    const turn = rate.take(bytes)
    const request = ModelRetry.retry(attempt, policy, source, Effect.andThen(turn, attempt)).pipe(
      Effect.tap(({ usage }) => EmbeddingRequests.used(named, usage?.tokens)),
      Effect.flatMap(({ embeddings }) => {
        const dimensions = options.dimensions ?? embeddings[0]?.length
        return embeddings.length === values.length && embeddings.every((vector) => isVector(vector, dimensions))
          ? Effect.succeed(embeddings.map((vector) => Float32Array.from(vector)))
          : Effect.fail(ModelError.unusableVectors(source))
      })
    )
    // the time of a request does not include that of its turn
    return Effect.andThen(turn, EmbeddingRequests.counted(request, named))
  }

  const embedder: Embedder = {
    id: `${model.provider}:${model.modelId}`,
    dimensions: options.dimensions,
    maxPerCall,
    embedMany: (texts) =>
      Effect.map(
        Effect.forEach(batchesOf(texts, maxPerCall), call, { concurrency: isParallel ? parallelCalls : 1 }),
        (batches) => batches.flat()
      )
  }
  return embedder
})
