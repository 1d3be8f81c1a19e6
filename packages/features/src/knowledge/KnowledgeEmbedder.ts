// The embedder of a knowledge base, and the vectors that it makes.
import type { Embedder, EmbedderCatalog } from "@svc-runtime/models"
import * as ModelError from "@svc-runtime/models/ModelError"
import { Effect, Schema } from "effect"
import type { AiError } from "effect/ai"
import { embedAll } from "../vectors/embedAll.ts"
import type { Knowledge } from "./KnowledgeBase.ts"

/** The embedder made no vectors. The message is a sentence for callers. */
export class EmbeddingFailed extends Schema.TaggedError<EmbeddingFailed>()("EmbeddingFailed", {
  message: Schema.String,
  /** Whether a repetition may succeed. */
  isTransient: Schema.Boolean,
  /** Seconds, until the provider takes requests again, if it names the time. */
  retryAfter: Schema.optional(Schema.Finite)
}) {}

/** Requests that fail for these reasons fail again. */
const permanentErrors: ReadonlySet<string> = new Set<AiError.AiErrorReason["_tag"]>([
  "AuthenticationError",
  "ContentPolicyError",
  "InvalidRequestError",
  "InvalidResponseError",
  "QuotaExhaustedError"
])

export const failed = (error: AiError.AiError): EmbeddingFailed => {
  const millis = ModelError.detailsOf(error)?.retry_after_millis
  return new EmbeddingFailed({
    message: ModelError.describe(error).message,
    isTransient: !permanentErrors.has(error.reason._tag),
    retryAfter: typeof millis === "number" ? Math.ceil(millis / 1000) : undefined
  })
}

/** Undefined: neither the knowledge nor the service has one, so it is searched by words alone. */
export const embedderOf = Effect.fnUntraced(function*(
  catalog: EmbedderCatalog["Service"],
  { embedder }: Pick<Knowledge, "embedder">
): Effect.fn.Return<Embedder.Embedder | undefined, EmbeddingFailed> {
  const ref = embedder ?? catalog.defaultEmbedder
  if (ref === undefined || ref === "none") return undefined
  return yield* Effect.mapError(
    catalog.resolve(ref),
    ({ message }) => new EmbeddingFailed({ message, isTransient: false })
  )
})

export const vectorsOf = (
  embedder: Embedder.Embedder,
  texts: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Float32Array>, EmbeddingFailed> => Effect.mapError(embedAll(embedder, texts), failed)
