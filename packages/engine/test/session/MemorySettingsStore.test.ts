import * as MemorySettingsStoreSuite from "@svc-runtime/test-support/suites/MemorySettingsStoreSuite"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"

MemorySettingsStoreSuite.suite("in memory", InMemory.MemorySettingsStore.pipe(Layer.provide(MemoryDatabase.layer)))
