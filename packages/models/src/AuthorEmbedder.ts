// An `Embedder` of an author, whose defects are errors: a search that needs it fails with a reason.
import { Cause, Effect } from "effect"
import type { Embedder } from "./Embedder.ts"
import * as EmbeddingRequests from "./EmbeddingRequests.ts"
import * as ModelError from "./ModelError.ts"

const isUsable = (vectors: unknown, count: number): boolean =>
  Array.isArray(vectors) && vectors.length === count && vectors.every((vector) => vector instanceof Float32Array)

export const make = (embedder: Embedder): Embedder => {
  const embedMany: Embedder["embedMany"] = (texts) => {
    const { id } = embedder
    const name = `The embedder '${id}'`
    const source: ModelError.Source = { provider: name, model: id, method: "embedMany" }
    return Effect.suspend(() => {
      const vectors = embedder.embedMany(texts)
      return Effect.isEffect(vectors) ? vectors : Effect.die(new TypeError("embedMany returned no Effect"))
    }).pipe(
      Effect.catchDefect((defect) =>
        Effect.andThen(Effect.logWarning(`${name} failed`, Cause.die(defect)), Effect.fail(ModelError.defect(source)))
      ),
      Effect.filterOrFail((vectors) => isUsable(vectors, texts.length), () => ModelError.unusableVectors(source)),
      (request) => EmbeddingRequests.counted(request, EmbeddingRequests.modelOf(id))
    )
  }

  return {
    get id() {
      return embedder.id
    },
    // it can be known after the first call
    get dimensions() {
      return embedder.dimensions
    },
    maxPerCall: embedder.maxPerCall,
    embedMany
  }
}
