import * as ApprovalStoreSuite from "@svc-runtime/test-support/suites/ApprovalStoreSuite"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"

ApprovalStoreSuite.suite(
  "in memory",
  Layer.mergeAll(InMemory.ApprovalStore, InMemory.SessionStore).pipe(Layer.provide(MemoryDatabase.layer))
)
