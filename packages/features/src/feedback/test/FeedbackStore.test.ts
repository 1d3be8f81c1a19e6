import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"
import * as FeedbackStoreSuite from "./FeedbackStoreSuite.ts"

FeedbackStoreSuite.suite(
  "in memory",
  Layer.mergeAll(InMemory.FeedbackStore, InMemory.RunStore, InMemory.SessionStore).pipe(
    Layer.provide(MemoryDatabase.layer)
  )
)
