import { MemoryDatabase } from "@svc-runtime/agents/inMemory/MemoryDatabase"
import { ChunkStore } from "@svc-runtime/features/knowledge/ChunkStore"
import { ContentStore } from "@svc-runtime/features/knowledge/ContentStore"
import * as ChunkStoreSuite from "@svc-runtime/features/knowledge/test/ChunkStoreSuite"
import { Layer } from "effect"
import { make } from "../src/vectorStore.ts"

ChunkStoreSuite.own(
  "of the example",
  Layer.merge(Layer.sync(ChunkStore, make), ContentStore.layerMemory.pipe(Layer.provide(MemoryDatabase.layer)))
)
