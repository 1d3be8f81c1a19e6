import { MemoryDatabase, RunStore, SessionStore } from "@svc/runtime"
import * as SessionStoreSuite from "@svc/testing/suites/SessionStoreSuite"
import { Layer } from "effect"

SessionStoreSuite.suite(
  "in memory",
  Layer.mergeAll(SessionStore.layerMemory, RunStore.layerMemory).pipe(Layer.provide(MemoryDatabase.layer))
)
