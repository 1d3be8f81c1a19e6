import * as RunStoreSuite from "@svc-runtime/test-support/suites/RunStoreSuite"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"

Tier.oneIn(8)

RunStoreSuite.suite(
  "in memory",
  Layer.mergeAll(
    InMemory.ApprovalStore,
    InMemory.SessionStore,
    InMemory.ComponentStore,
    InMemory.RunStore,
    InMemory.JobStore,
    InMemory.MemorySettingsStore
  ).pipe(
    Layer.provide(MemoryDatabase.layer)
  )
)
