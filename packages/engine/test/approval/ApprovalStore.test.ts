import { MemoryDatabase } from "@svc-runtime/agents/inMemory/MemoryDatabase"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as ApprovalStoreSuite from "@svc-runtime/test-support/suites/ApprovalStoreSuite"
import { Layer } from "effect"

ApprovalStoreSuite.suite(
  "in memory",
  Layer.mergeAll(ApprovalStore.layerMemory, SessionStore.layerMemory).pipe(Layer.provide(MemoryDatabase.layer))
)
