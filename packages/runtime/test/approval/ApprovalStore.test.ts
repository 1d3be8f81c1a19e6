import { ApprovalStore, MemoryDatabase, SessionStore } from "@svc/runtime"
import * as ApprovalStoreSuite from "@svc/testing/suites/ApprovalStoreSuite"
import { Layer } from "effect"

ApprovalStoreSuite.suite(
  "in memory",
  Layer.mergeAll(ApprovalStore.layerMemory, SessionStore.layerMemory).pipe(Layer.provide(MemoryDatabase.layer))
)
