import { EvalRunStore } from "@svc/runtime/evaluation/EvalRunStore"
import { MemoryDatabase } from "@svc/runtime/inMemory/MemoryDatabase"
import { JobStore } from "@svc/runtime/jobs/JobStore"
import * as EvalRunStoreSuite from "@svc/testing/suites/EvalRunStoreSuite"
import { Layer } from "effect"

EvalRunStoreSuite.suite(
  "in memory",
  Layer.merge(EvalRunStore.layerMemory, JobStore.layerMemory).pipe(Layer.provide(MemoryDatabase.layer))
)
