import { everyDatabase } from "@svc-runtime/test-support/stores/everyStore"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"
import * as SqlStores from "../../SqlStores.ts"
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

everyDatabase(
  (name, database) =>
    LearningStoreSuite.suite(name, (limits) => SqlStores.layer.pipe(Layer.provide(limits), Layer.provide(database))),
  { pglite: 4, postgres: 3 }
)
