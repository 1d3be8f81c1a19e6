import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"
import * as LearningStoreSuite from "./LearningStoreSuite.ts"

LearningStoreSuite.suite(
  "in memory",
  (limits) =>
    Layer.mergeAll(
      InMemory.JobStore,
      InMemory.LearningStore,
      InMemory.MemoryStore,
      InMemory.RunStore,
      InMemory.SessionStore
    ).pipe(Layer.provide(limits), Layer.provide(MemoryDatabase.layer))
)
