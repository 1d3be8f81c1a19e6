import { MemoryDatabase } from "@svc/runtime/inMemory/MemoryDatabase"
import { RunStore } from "@svc/runtime/run/store/RunStore"
import { SessionStore } from "@svc/runtime/session/SessionStore"
import * as SessionStoreSuite from "@svc/testing/suites/SessionStoreSuite"
import { Layer } from "effect"

SessionStoreSuite.suite(
  "in memory",
  Layer.mergeAll(SessionStore.layerMemory, RunStore.layerMemory).pipe(Layer.provide(MemoryDatabase.layer))
)
