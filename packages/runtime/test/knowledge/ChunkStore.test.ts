import { MemoryDatabase } from "@svc/runtime/inMemory/MemoryDatabase"
import { ChunkStore } from "@svc/runtime/knowledge/ChunkStore"
import { ContentStore } from "@svc/runtime/knowledge/ContentStore"
import * as ChunkStoreSuite from "@svc/testing/suites/ChunkStoreSuite"
import { Layer } from "effect"

ChunkStoreSuite.suite(
  "in memory",
  Layer.mergeAll(ChunkStore.layerMemory, ContentStore.layerMemory).pipe(Layer.provide(MemoryDatabase.layer))
)
