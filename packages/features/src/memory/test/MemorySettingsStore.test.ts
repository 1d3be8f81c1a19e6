import { MemoryDatabase } from "@svc-runtime/agents/inMemory/MemoryDatabase"
import { Layer } from "effect"
import { MemorySettingsStore } from "../MemorySettingsStore.ts"
import * as MemorySettingsStoreSuite from "./MemorySettingsStoreSuite.ts"

MemorySettingsStoreSuite.suite("in memory", MemorySettingsStore.layerMemory.pipe(Layer.provide(MemoryDatabase.layer)))
