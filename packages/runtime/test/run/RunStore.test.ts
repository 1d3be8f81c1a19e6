import { MemoryDatabase, RunStore, SessionStore } from "@svc/runtime"
import * as RunStoreSuite from "@svc/testing/suites/RunStoreSuite"
import { Layer } from "effect"

RunStoreSuite.suite(
  "in memory",
  Layer.mergeAll(SessionStore.layerMemory, RunStore.layerMemory).pipe(Layer.provide(MemoryDatabase.layer))
)
