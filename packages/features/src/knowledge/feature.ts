// Contents that agents and callers search.
import { Effect, Layer } from "effect"
import * as Feature from "../Feature.ts"
import * as AgentPart from "./agentPart.ts"
import * as ChangedEmbedders from "./ChangedEmbedders.ts"
import * as ChunkIndexing from "./ChunkIndexing.ts"
import * as ChunkPruning from "./ChunkPruning.ts"
import { ChunkStore } from "./ChunkStore.ts"
import { ContentStore } from "./ContentStore.ts"
import * as FolderJob from "./FolderJob.ts"
import * as FolderSync from "./FolderSync.ts"
import * as IngestionJob from "./IngestionJob.ts"
import { Knowledge as KnowledgeEndpoints } from "./KnowledgeApi.ts"
import { Knowledge } from "./KnowledgeHandlers.ts"
import * as KnowledgeLimits from "./KnowledgeLimits.ts"
import * as KnowledgeOfComponents from "./KnowledgeOfComponents.ts"
import { KnowledgeRegistry } from "./KnowledgeRegistry.ts"
import { KnowledgeSearch } from "./KnowledgeSearch.ts"
import { KnowledgeStores } from "./KnowledgeStores.ts"
import { knowledge as migrations } from "./migrations.ts"
import * as OrphanedContents from "./OrphanedContents.ts"
import * as RunKnowledge from "./RunKnowledge.ts"
import * as SqlChunkStore from "./SqlChunkStore.ts"
import * as SqlContentStore from "./SqlContentStore.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly contents: typeof ContentStore
    readonly chunks: typeof ChunkStore
  }
}

export const knowledge = Feature.make({
  name: "knowledge",
  groups: [KnowledgeEndpoints],
  handlers: Knowledge,
  // runs and callers search knowledge in any database
  settings: KnowledgeLimits.waitingUploads,
  service: (waitingUploads: number, service: Feature.Service) =>
    RunKnowledge.layer.pipe(
      Layer.provideMerge(KnowledgeSearch.layer),
      Layer.provideMerge(Layer.mergeAll(
        KnowledgeStores.layer(waitingUploads),
        KnowledgeRegistry.layer(service.databaseId, KnowledgeOfComponents.of(service)),
        service.reading
      ))
    ),
  agents: () => AgentPart.forAgent,
  // lets runs and callers of any database search the knowledge of this one
  runs: (_, { id }) => KnowledgeStores.layerDatabase(id),
  jobs: (_, { embedAgain, id }) =>
    Effect.gen(function*() {
      const own = (yield* KnowledgeRegistry).all.flatMap(({ knowledge: { vectorStore } }) => vectorStore ?? [])
      return [
        ...yield* IngestionJob.kinds,
        yield* FolderJob.kind,
        yield* FolderSync.kind,
        yield* OrphanedContents.kind,
        yield* ChunkPruning.kind(own),
        yield* ChunkIndexing.kind(own),
        ...(embedAgain ? [yield* ChangedEmbedders.kind(id)] : [])
      ]
    }),
  stores: {
    services: { contents: ContentStore, chunks: ChunkStore },
    layer: Layer.mergeAll(SqlContentStore.layer, SqlChunkStore.layer)
  },
  migrations
})
