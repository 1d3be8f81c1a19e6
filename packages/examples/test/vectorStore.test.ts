import { MemoryDatabase } from "@svc/runtime/inMemory/MemoryDatabase"
import { ChunkStore } from "@svc/runtime/knowledge/ChunkStore"
import { ContentStore } from "@svc/runtime/knowledge/ContentStore"
import * as ChunkStoreSuite from "@svc/testing/suites/ChunkStoreSuite"
import { Layer } from "effect"
import { make } from "../src/vectorStore.ts"

ChunkStoreSuite.own(
  "of the example",
  Layer.merge(Layer.sync(ChunkStore, make), ContentStore.layerMemory.pipe(Layer.provide(MemoryDatabase.layer)))
)
