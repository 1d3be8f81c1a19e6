// What the feature does in a service that has it.
import { Effect, Layer } from "effect"
import * as Feature from "../Feature.ts"
import * as QueryVectorCache from "../vectors/QueryVectorCache.ts"
import * as AgentPart from "./agentPart.ts"
import * as ChangedEmbedders from "./ChangedEmbedders.ts"
import * as ChunkIndexing from "./ChunkIndexing.ts"
import * as ChunkPruning from "./ChunkPruning.ts"
import * as DeclaredFolders from "./DeclaredFolders.ts"
import * as FolderJob from "./FolderJob.ts"
import * as FolderSync from "./FolderSync.ts"
import * as IngestionJob from "./IngestionJob.ts"
import { Knowledge } from "./KnowledgeHandlers.ts"
import * as KnowledgeOfComponents from "./KnowledgeOfComponents.ts"
import { KnowledgeRegistry } from "./KnowledgeRegistry.ts"
import { KnowledgeSearch } from "./KnowledgeSearch.ts"
import { KnowledgeStores } from "./KnowledgeStores.ts"
import * as OrphanedContents from "./OrphanedContents.ts"
import * as RunKnowledge from "./RunKnowledge.ts"
import * as SqlChunkStore from "./SqlChunkStore.ts"
import * as SqlContentStore from "./SqlContentStore.ts"

export const live = Feature.live({
  handlers: Knowledge,
  service: (waitingUploads: number, service: Feature.Service) =>
    RunKnowledge.layer.pipe(
      Layer.provideMerge(KnowledgeSearch.layer),
      Layer.provideMerge(Layer.mergeAll(
        KnowledgeStores.layer(waitingUploads),
        QueryVectorCache.layer,
        KnowledgeRegistry.layer(service.databaseId, KnowledgeOfComponents.of(service)),
        service.reading
      ))
    ),
  declares: () => DeclaredFolders.kind,
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
  stores: Layer.mergeAll(SqlContentStore.layer, SqlChunkStore.layer)
})
