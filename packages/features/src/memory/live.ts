// What the feature does in a service that has it.
import { Effect, Layer } from "effect"
import * as Feature from "../Feature.ts"
import * as QueryVectorCache from "../vectors/QueryVectorCache.ts"
import * as AgentPart from "./agentPart.ts"
import * as ExtractionJob from "./ExtractionJob.ts"
import { Memories } from "./MemoriesHandlers.ts"
import * as SqlMemoryStore from "./SqlMemoryStore.ts"
import * as SqlMemoryVectorStore from "./SqlMemoryVectorStore.ts"
import * as TextVectors from "./TextVectors.ts"
import { UserMemories } from "./UserMemoriesHandlers.ts"
import * as VectorJob from "./VectorJob.ts"

export const live = Feature.live({
  handlers: Layer.mergeAll(Memories, UserMemories),
  service: () => Layer.provide(TextVectors.layer, QueryVectorCache.layer),
  agents: () => AgentPart.forAgent,
  // makes vectors of written memories
  workers: () => Layer.effectDiscard(VectorJob.enqueueOnWrites),
  jobs: (_, { sources }) =>
    Effect.gen(function*() {
      return [yield* ExtractionJob.kind(sources), ...yield* VectorJob.kinds]
    }),
  stores: Layer.mergeAll(SqlMemoryStore.layer, SqlMemoryVectorStore.layer)
})
