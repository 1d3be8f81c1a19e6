// What agents remember of users.
import * as Feature from "../Feature.ts"
import { Memories as MemoriesEndpoints } from "./MemoriesApi.ts"
import { MemoryStore } from "./MemoryStore.ts"
import { MemoryVectorStore } from "./MemoryVectorStore.ts"
import { memory as migrations } from "./migrations.ts"
import { UserMemories as UserMemoriesEndpoints } from "./UserMemoriesApi.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly memories: typeof MemoryStore
    readonly memoryVectors: typeof MemoryVectorStore
  }
}

export const memory = Feature.make({
  name: "memory",
  groups: [MemoriesEndpoints, UserMemoriesEndpoints],
  stores: { memories: MemoryStore, memoryVectors: MemoryVectorStore },
  migrations,
  load: () => import("./live.ts")
})
