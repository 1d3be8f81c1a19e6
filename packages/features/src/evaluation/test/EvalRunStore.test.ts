import { MemoryDatabase } from "@svc-runtime/agents/inMemory/MemoryDatabase"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { Layer } from "effect"
import { EvalRunStore } from "../EvalRunStore.ts"
import * as EvalRunStoreSuite from "./EvalRunStoreSuite.ts"

EvalRunStoreSuite.suite(
  "in memory",
  Layer.merge(EvalRunStore.layerMemory, JobStore.layerMemory).pipe(Layer.provide(MemoryDatabase.layer))
)
