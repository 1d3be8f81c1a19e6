import { MemoryDatabase } from "@svc-runtime/agents/inMemory/MemoryDatabase"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { Layer } from "effect"
import { DatasetStore } from "../datasets/DatasetStore.ts"
import { ExperimentStore } from "../experiments/ExperimentStore.ts"
import * as ExperimentStoreSuite from "./ExperimentStoreSuite.ts"

ExperimentStoreSuite.suite(
  "in memory",
  Layer.mergeAll(ExperimentStore.layerMemory, DatasetStore.layerMemory, JobStore.layerMemory).pipe(
    Layer.provide(MemoryDatabase.layer)
  )
)
