import { MemoryDatabase } from "@svc/runtime/inMemory/MemoryDatabase"
import { JobStore } from "@svc/runtime/jobs/JobStore"
import { MemoryStore } from "@svc/runtime/memory/MemoryStore"
import { RunStore } from "@svc/runtime/run/store/RunStore"
import { SessionStore } from "@svc/runtime/session/SessionStore"
import * as MemoryStoreSuite from "@svc/testing/suites/MemoryStoreSuite"
import { Layer } from "effect"

MemoryStoreSuite.suite(
  "in memory",
  Layer.mergeAll(JobStore.layerMemory, MemoryStore.layerMemory, RunStore.layerMemory, SessionStore.layerMemory).pipe(
    Layer.provide(MemoryDatabase.layer)
  )
)
