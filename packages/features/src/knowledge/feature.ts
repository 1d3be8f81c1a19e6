// Contents that agents and callers search.
import { Layer } from "effect"
import * as Feature from "../Feature.ts"
import { ChunkStore } from "./ChunkStore.ts"
import { ContentStore } from "./ContentStore.ts"
import { Knowledge as KnowledgeEndpoints } from "./KnowledgeApi.ts"
import { knowledge as migrations } from "./migrations.ts"
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
  stores: {
    services: { contents: ContentStore, chunks: ChunkStore },
    layer: Layer.mergeAll(SqlContentStore.layer, SqlChunkStore.layer)
  },
  migrations
})
