import * as SessionStoreSuite from "@svc-runtime/test-support/suites/SessionStoreSuite"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"

Tier.oneIn(8)

SessionStoreSuite.suite(
  "in memory",
  Layer.mergeAll(InMemory.SessionStore, InMemory.RunStore).pipe(Layer.provide(MemoryDatabase.layer))
)
