// What agents remember of users.
import { Effect, Layer } from "effect"
import * as Feature from "../Feature.ts"
import * as AgentPart from "./agentPart.ts"
import * as ExtractionJob from "./ExtractionJob.ts"
import { Memories as MemoriesEndpoints } from "./MemoriesApi.ts"
import { Memories } from "./MemoriesHandlers.ts"
import { MemoryStore } from "./MemoryStore.ts"
import { MemoryVectorStore } from "./MemoryVectorStore.ts"
import { memory as migrations } from "./migrations.ts"
import * as SqlMemoryStore from "./SqlMemoryStore.ts"
import * as SqlMemoryVectorStore from "./SqlMemoryVectorStore.ts"
import * as TextVectors from "./TextVectors.ts"
import { UserMemories as UserMemoriesEndpoints } from "./UserMemoriesApi.ts"
import { UserMemories } from "./UserMemoriesHandlers.ts"
import * as VectorJob from "./VectorJob.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly memories: typeof MemoryStore
    readonly memoryVectors: typeof MemoryVectorStore
  }
}

export const memory = Feature.make({
  name: "memory",
  groups: [MemoriesEndpoints, UserMemoriesEndpoints],
  handlers: Layer.mergeAll(Memories, UserMemories),
  service: () => TextVectors.layer,
  agents: () => AgentPart.forAgent,
  // makes vectors of written memories
  workers: () => Layer.effectDiscard(VectorJob.enqueueOnWrites),
  jobs: (_, { sources }) =>
    Effect.gen(function*() {
      return [yield* ExtractionJob.kind(sources), ...yield* VectorJob.kinds]
    }),
  stores: {
    services: { memories: MemoryStore, memoryVectors: MemoryVectorStore },
    layer: Layer.mergeAll(SqlMemoryStore.layer, SqlMemoryVectorStore.layer)
  },
  migrations
})
