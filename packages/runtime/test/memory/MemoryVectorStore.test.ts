import { MemoryDatabase } from "@svc/runtime/inMemory/MemoryDatabase"
import { MemorySettingsStore } from "@svc/runtime/memory/MemorySettingsStore"
import { MemoryStore } from "@svc/runtime/memory/MemoryStore"
import { MemoryVectorStore } from "@svc/runtime/memory/MemoryVectorStore"
import * as MemoryVectorStoreSuite from "@svc/testing/suites/MemoryVectorStoreSuite"
import { Layer } from "effect"

MemoryVectorStoreSuite.suite(
  "in memory",
  Layer.mergeAll(MemorySettingsStore.layerMemory, MemoryStore.layerMemory, MemoryVectorStore.layerMemory).pipe(
    Layer.provide(MemoryDatabase.layer)
  )
)
