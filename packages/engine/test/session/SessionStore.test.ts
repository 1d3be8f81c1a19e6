import { MemoryDatabase } from "@svc-runtime/agents/inMemory/MemoryDatabase"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as SessionStoreSuite from "@svc-runtime/test-support/suites/SessionStoreSuite"
import { Layer } from "effect"

SessionStoreSuite.suite(
  "in memory",
  Layer.mergeAll(SessionStore.layerMemory, RunStore.layerMemory).pipe(Layer.provide(MemoryDatabase.layer))
)
