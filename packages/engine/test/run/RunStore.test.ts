import { ComponentStore } from "@svc-runtime/agents/component/ComponentStore"
import { MemoryDatabase } from "@svc-runtime/agents/inMemory/MemoryDatabase"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { MemorySettingsStore } from "@svc-runtime/features/memory/MemorySettingsStore"
import * as RunStoreSuite from "@svc-runtime/test-support/suites/RunStoreSuite"
import { Layer } from "effect"

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
