import { MemoryDatabase } from "@svc-runtime/agents/inMemory/MemoryDatabase"
import { Layer } from "effect"
import { ChunkStore } from "../ChunkStore.ts"
import { ContentStore } from "../ContentStore.ts"
import * as ChunkStoreSuite from "./ChunkStoreSuite.ts"

ChunkStoreSuite.suite(
  "in memory",
  Layer.mergeAll(ChunkStore.layerMemory, ContentStore.layerMemory).pipe(Layer.provide(MemoryDatabase.layer))
)
