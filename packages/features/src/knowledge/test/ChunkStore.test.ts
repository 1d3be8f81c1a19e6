import * as Tier from "@svc-runtime/test-support/Tier"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"
import * as ChunkStoreSuite from "./ChunkStoreSuite.ts"

Tier.oneIn(3)

ChunkStoreSuite.suite(
  "in memory",
  Layer.mergeAll(InMemory.ChunkStore, InMemory.ContentStore).pipe(Layer.provide(MemoryDatabase.layer))
)
