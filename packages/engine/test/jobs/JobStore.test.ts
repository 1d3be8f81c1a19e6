import { MemoryDatabase } from "@svc-runtime/agents/inMemory/MemoryDatabase"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as JobStoreSuite from "@svc-runtime/test-support/suites/JobStoreSuite"
import { Layer } from "effect"

JobStoreSuite.suite(
  "in memory",
  Layer.mergeAll(JobStore.layerMemory, RunStore.layerMemory, SessionStore.layerMemory).pipe(
    Layer.provide(MemoryDatabase.layer)
  )
)
