import { ApprovalStore } from "@svc/runtime/approval/ApprovalStore"
import { MemoryDatabase } from "@svc/runtime/inMemory/MemoryDatabase"
import { SessionStore } from "@svc/runtime/session/SessionStore"
import * as ApprovalStoreSuite from "@svc/testing/suites/ApprovalStoreSuite"
import { Layer } from "effect"

ApprovalStoreSuite.suite(
  "in memory",
  Layer.mergeAll(ApprovalStore.layerMemory, SessionStore.layerMemory).pipe(Layer.provide(MemoryDatabase.layer))
)
