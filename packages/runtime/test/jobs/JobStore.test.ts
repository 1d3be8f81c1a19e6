import { MemoryDatabase } from "@svc/runtime/inMemory/MemoryDatabase"
import { JobStore } from "@svc/runtime/jobs/JobStore"
import { RunStore } from "@svc/runtime/run/store/RunStore"
import { SessionStore } from "@svc/runtime/session/SessionStore"
import * as JobStoreSuite from "@svc/testing/suites/JobStoreSuite"
import { Layer } from "effect"

JobStoreSuite.suite(
  "in memory",
  Layer.mergeAll(JobStore.layerMemory, RunStore.layerMemory, SessionStore.layerMemory).pipe(
    Layer.provide(MemoryDatabase.layer)
  )
)
