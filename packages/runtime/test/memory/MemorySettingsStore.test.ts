import { MemoryDatabase } from "@svc/runtime/inMemory/MemoryDatabase"
import { MemorySettingsStore } from "@svc/runtime/memory/MemorySettingsStore"
import * as MemorySettingsStoreSuite from "@svc/testing/suites/MemorySettingsStoreSuite"
import { Layer } from "effect"

MemorySettingsStoreSuite.suite("in memory", MemorySettingsStore.layerMemory.pipe(Layer.provide(MemoryDatabase.layer)))
