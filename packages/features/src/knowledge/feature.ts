// Contents that agents and callers search.
import * as Feature from "../Feature.ts"
import { ChunkStore } from "./ChunkStore.ts"
import { ContentStore } from "./ContentStore.ts"
import { Knowledge as KnowledgeEndpoints } from "./KnowledgeApi.ts"
import * as KnowledgeLimits from "./KnowledgeLimits.ts"
import { knowledge as migrations } from "./migrations.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly contents: typeof ContentStore
    readonly chunks: typeof ChunkStore
  }
}

export const knowledge = Feature.make({
  name: "knowledge",
  groups: [KnowledgeEndpoints],
  // runs and callers search knowledge in any database
  settings: KnowledgeLimits.waitingUploads,
  stores: { contents: ContentStore, chunks: ChunkStore },
  migrations,
  load: () => import("./live.ts")
})
