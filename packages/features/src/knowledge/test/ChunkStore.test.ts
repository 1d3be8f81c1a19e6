import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"
import * as ChunkStoreSuite from "./ChunkStoreSuite.ts"

ChunkStoreSuite.suite(
  "in memory",
  Layer.mergeAll(InMemory.ChunkStore, InMemory.ContentStore).pipe(Layer.provide(MemoryDatabase.layer))
)
