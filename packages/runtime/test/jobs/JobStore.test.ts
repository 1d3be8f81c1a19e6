import { JobStore, MemoryDatabase, RunStore, SessionStore } from "@svc/runtime"
import * as JobStoreSuite from "@svc/testing/suites/JobStoreSuite"
import { Layer } from "effect"

JobStoreSuite.suite(
  "in memory",
  Layer.mergeAll(JobStore.layerMemory, RunStore.layerMemory, SessionStore.layerMemory).pipe(
    Layer.provide(MemoryDatabase.layer)
  )
)
