import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"
import * as MemoryVectorStoreSuite from "./MemoryVectorStoreSuite.ts"

MemoryVectorStoreSuite.suite(
  "in memory",
  Layer.mergeAll(InMemory.MemorySettingsStore, InMemory.MemoryStore, InMemory.MemoryVectorStore).pipe(
    Layer.provide(MemoryDatabase.layer)
  )
)
