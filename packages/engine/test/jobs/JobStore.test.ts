import * as JobStoreSuite from "@svc-runtime/test-support/suites/JobStoreSuite"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"

JobStoreSuite.suite(
  "in memory",
  Layer.mergeAll(InMemory.JobStore, InMemory.RunStore, InMemory.SessionStore).pipe(
    Layer.provide(MemoryDatabase.layer)
  )
)
