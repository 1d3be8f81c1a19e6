// What agents remember of users.
import { Layer } from "effect"
import * as Feature from "../Feature.ts"
import { Memories as MemoriesEndpoints } from "./MemoriesApi.ts"
import { MemorySettingsStore } from "./MemorySettingsStore.ts"
import { MemoryStore } from "./MemoryStore.ts"
import { MemoryVectorStore } from "./MemoryVectorStore.ts"
import { memory as migrations } from "./migrations.ts"
import * as SqlMemorySettingsStore from "./SqlMemorySettingsStore.ts"
import * as SqlMemoryStore from "./SqlMemoryStore.ts"
import * as SqlMemoryVectorStore from "./SqlMemoryVectorStore.ts"
import { UserMemories as UserMemoriesEndpoints } from "./UserMemoriesApi.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly memories: typeof MemoryStore
    readonly memoryVectors: typeof MemoryVectorStore
    readonly memorySettings: typeof MemorySettingsStore
  }
}

export const memory = Feature.make({
  name: "memory",
  groups: [MemoriesEndpoints, UserMemoriesEndpoints],
  stores: {
    services: { memories: MemoryStore, memoryVectors: MemoryVectorStore, memorySettings: MemorySettingsStore },
    layer: Layer.mergeAll(SqlMemoryStore.layer, SqlMemoryVectorStore.layer, SqlMemorySettingsStore.layer)
  },
  migrations
})
