import { DatasetStore } from "@svc/runtime/evaluation/datasets/DatasetStore"
import { ExperimentStore } from "@svc/runtime/evaluation/experiments/ExperimentStore"
import { MemoryDatabase } from "@svc/runtime/inMemory/MemoryDatabase"
import { JobStore } from "@svc/runtime/jobs/JobStore"
import * as ExperimentStoreSuite from "@svc/testing/suites/ExperimentStoreSuite"
import { Layer } from "effect"

ExperimentStoreSuite.suite(
  "in memory",
  Layer.mergeAll(ExperimentStore.layerMemory, DatasetStore.layerMemory, JobStore.layerMemory).pipe(
    Layer.provide(MemoryDatabase.layer)
  )
)
