import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"
import * as EvalRunStoreSuite from "./EvalRunStoreSuite.ts"

EvalRunStoreSuite.suite(
  "in memory",
  Layer.merge(InMemory.EvalRunStore, InMemory.JobStore).pipe(Layer.provide(MemoryDatabase.layer))
)
