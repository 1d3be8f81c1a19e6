import { ChunkStore } from "@svc-runtime/features/knowledge/ChunkStore"
import * as ChunkStoreSuite from "@svc-runtime/features/knowledge/test/ChunkStoreSuite"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"
import { make } from "../src/vectorStore.ts"

Tier.oneIn(4)

ChunkStoreSuite.own(
  "of the example",
  Layer.merge(Layer.sync(ChunkStore, make), InMemory.ContentStore.pipe(Layer.provide(MemoryDatabase.layer)))
)
