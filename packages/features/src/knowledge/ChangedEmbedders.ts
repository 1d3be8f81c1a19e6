// Embeds the contents again whose knowledge base has another embedder than before. An operator switches it on: it sends
// all texts to the embedder.
import type * as Ids from "@svc-runtime/domain/Ids"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { EmbedderCatalog } from "@svc-runtime/models"
import { Effect, Option } from "effect"
import { QueryVectorCache } from "../vectors/QueryVectorCache.ts"
import { ContentStore } from "./ContentStore.ts"
import * as IngestionJob from "./IngestionJob.ts"
import { embedderOf, failed } from "./KnowledgeEmbedder.ts"
import { type Instance, KnowledgeRegistry } from "./KnowledgeRegistry.ts"

/** Tells how long the vectors of an embedder are. */
const sample = "How long are your vectors?"

/** Of the knowledge bases in one database. A vector store of an author has vectors of one embedder forever. */
export const kind = Effect.fnUntraced(function*(database: Ids.DatabaseId) {
  const [contents, embedders, vectors] = [yield* ContentStore, yield* EmbedderCatalog, yield* QueryVectorCache]
  const instances = (yield* KnowledgeRegistry).all.filter((instance) =>
    instance.database === database && instance.knowledge.vectorStore === undefined
  )

  const embeddingOf = Effect.fnUntraced(function*({ knowledge }: Instance) {
    const embedder = yield* embedderOf(embedders, knowledge)
    if (embedder === undefined) return undefined
    const vector = yield* Effect.mapError(vectors.of(embedder, sample), failed)
    return Option.isNone(vector) ? undefined : { model: embedder.id, dimensions: vector.value.length }
  })

  const restart = Effect.fnUntraced(function*(instance: Instance) {
    const embedding = yield* embeddingOf(instance)
    if (embedding === undefined) return
    let total = 0
    for (;;) {
      const outdated = yield* contents.outdated(instance.name, embedding)
      const before = total
      for (const content of outdated) {
        const job = yield* Effect.orDie(IngestionJob.embeddingAgain(instance, content, embedding))
        if (yield* contents.restart(content, [job])) total++
      }
      // contents that could not begin are still outdated
      if (total === before) break
    }
    if (total === 0) return
    yield* Effect.logInfo(`Knowledge ${instance.name}: ${total} content(s) are embedded again, with ${embedding.model}`)
  })

  return JobKind.repeating({
    name: "changed_embedders",
    every: "1 minute",
    handle: () =>
      Effect.forEach(instances, (instance) =>
        Effect.catchTag(
          restart(instance),
          "EmbeddingFailed",
          ({ message }) => Effect.logWarning(`Knowledge ${instance.name} is not embedded again: ${message}`)
        ), { discard: true })
  })
})
