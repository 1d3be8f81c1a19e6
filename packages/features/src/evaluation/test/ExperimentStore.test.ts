import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"
import * as ExperimentStoreSuite from "./ExperimentStoreSuite.ts"

ExperimentStoreSuite.suite(
  "in memory",
  Layer.mergeAll(InMemory.ExperimentStore, InMemory.DatasetStore, InMemory.JobStore).pipe(
    Layer.provide(MemoryDatabase.layer)
  )
)
