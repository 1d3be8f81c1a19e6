import * as SessionStoreSuite from "@svc-runtime/test-support/suites/SessionStoreSuite"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"

SessionStoreSuite.suite(
  "in memory",
  Layer.mergeAll(InMemory.SessionStore, InMemory.RunStore).pipe(Layer.provide(MemoryDatabase.layer))
)
