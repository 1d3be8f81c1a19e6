// The stores of contents and chunks by database. Runs search knowledge in other databases than their own, so each
// database adds its stores here when it opens.
import type * as Ids from "@svc/domain/Ids"
import { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import { Context, Effect, Layer } from "effect"
import { JobSignal } from "../JobSignal.ts"
import { ChunkStore } from "./ChunkStore.ts"
import { ContentStore } from "./ContentStore.ts"
import type { Instance } from "./KnowledgeRegistry.ts"

export interface Stores {
  /** A job was stored. */
  readonly signal: Effect.Effect<void>
  readonly contents: ContentStore["Service"]
  readonly chunks: ChunkStore["Service"]
}

export class KnowledgeStores extends Context.Service<KnowledgeStores, {
  readonly of: (instance: Instance) => Effect.Effect<Stores, StorageUnavailable>
  readonly opened: Map<Ids.DatabaseId, Stores>
}>()("@svc/runtime/knowledge/KnowledgeStores") {
  static readonly layer: Layer.Layer<KnowledgeStores> = Layer.sync(KnowledgeStores, () => {
    const opened = new Map<Ids.DatabaseId, Stores>()
    return KnowledgeStores.of({
      opened,
      of: ({ database, knowledge: { vectorStore } }) => {
        const stores = opened.get(database)
        return stores === undefined
          ? Effect.fail(new StorageUnavailable({ cause: `The database '${database}' is not open` }))
          : Effect.succeed({ ...stores, chunks: vectorStore ?? stores.chunks })
      }
    })
  })

  /** Adds the stores of a database while it is open. */
  static readonly layerDatabase = (
    id: Ids.DatabaseId
  ): Layer.Layer<never, never, ChunkStore | ContentStore | KnowledgeStores> =>
    Layer.effectDiscard(
      Effect.gen(function*() {
        const { opened } = yield* KnowledgeStores
        const jobs = yield* JobSignal
        const stores: Stores = {
          contents: yield* ContentStore,
          chunks: yield* ChunkStore,
          signal: Effect.sync(jobs.tell)
        }
        yield* Effect.acquireRelease(
          Effect.sync(() => opened.set(id, stores)),
          () => Effect.sync(() => opened.delete(id))
        )
      })
    )
}
