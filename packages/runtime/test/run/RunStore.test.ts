import { ComponentStore } from "@svc/runtime/component/ComponentStore"
import { MemoryDatabase } from "@svc/runtime/inMemory/MemoryDatabase"
import { JobStore } from "@svc/runtime/jobs/JobStore"
import { RunStore } from "@svc/runtime/run/store/RunStore"
import { SessionStore } from "@svc/runtime/session/SessionStore"
import * as RunStoreSuite from "@svc/testing/suites/RunStoreSuite"
import { Layer } from "effect"
import { MemorySettingsStore } from "../../src/memory/MemorySettingsStore.ts"

RunStoreSuite.suite(
  "in memory",
  Layer.mergeAll(
    SessionStore.layerMemory,
    ComponentStore.layerMemory,
    RunStore.layerMemory,
    JobStore.layerMemory,
    MemorySettingsStore.layerMemory
  ).pipe(
    Layer.provide(MemoryDatabase.layer)
  )
)
