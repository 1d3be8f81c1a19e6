// The stores of contents and chunks by database: runs search knowledge in other databases than their own.
import type * as Ids from "@svc-runtime/domain/Ids"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import * as OpenDatabases from "@svc-runtime/engine/OpenDatabases"
import { JobSignal } from "@svc-runtime/engine/signals/Signals"
import { Context, Effect, Layer } from "effect"
import { ChunkStore } from "./ChunkStore.ts"
import { ContentStore } from "./ContentStore.ts"
import type { Instance } from "./KnowledgeRegistry.ts"

export interface Stores {
  /** A job was stored. */
  readonly signal: Effect.Effect<void>
  readonly contents: ContentStore["Service"]
  readonly chunks: ChunkStore["Service"]
  readonly countWaiting: JobStore["Service"]["countWaiting"]
}

export class KnowledgeStores extends Context.Service<KnowledgeStores, {
  readonly of: (instance: Instance) => Effect.Effect<Stores, StorageUnavailable>
  readonly opened: OpenDatabases.OpenDatabases<Stores>
  readonly waitingUploads: number
}>()("@svc-runtime/features/knowledge/KnowledgeStores") {
  static readonly layer = (waitingUploads: number): Layer.Layer<KnowledgeStores> =>
    Layer.sync(KnowledgeStores, () => {
      const opened = OpenDatabases.make<Stores>()
      return KnowledgeStores.of({
        opened,
        waitingUploads,
        of: ({ database, knowledge: { vectorStore } }) =>
          Effect.map(opened.get(database), (stores) => ({ ...stores, chunks: vectorStore ?? stores.chunks }))
      })
    })

  /** Adds the stores of a database while it is open. */
  static readonly layerDatabase = (
    id: Ids.DatabaseId
  ): Layer.Layer<never, never, ChunkStore | ContentStore | JobSignal | JobStore | KnowledgeStores> =>
    Layer.effectDiscard(
      Effect.gen(function*() {
        const { opened } = yield* KnowledgeStores
        const jobs = yield* JobSignal
        yield* opened.add(id, {
          contents: yield* ContentStore,
          chunks: yield* ChunkStore,
          countWaiting: (yield* JobStore).countWaiting,
          signal: Effect.sync(jobs.notify)
        })
      })
    )
}
