import { MemoryDatabase } from "@svc-runtime/agents/inMemory/MemoryDatabase"
import { Layer } from "effect"
import { MemorySettingsStore } from "../MemorySettingsStore.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { MemoryVectorStore } from "../MemoryVectorStore.ts"
import * as MemoryVectorStoreSuite from "./MemoryVectorStoreSuite.ts"

MemoryVectorStoreSuite.suite(
  "in memory",
  Layer.mergeAll(MemorySettingsStore.layerMemory, MemoryStore.layerMemory, MemoryVectorStore.layerMemory).pipe(
    Layer.provide(MemoryDatabase.layer)
  )
)
