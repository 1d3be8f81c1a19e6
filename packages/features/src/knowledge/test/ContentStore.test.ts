import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"
import * as ContentStoreSuite from "./ContentStoreSuite.ts"

ContentStoreSuite.suite(
  "in memory",
  Layer.mergeAll(InMemory.ContentStore, InMemory.JobStore).pipe(Layer.provide(MemoryDatabase.layer))
)
