import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"
import * as RolloutStoreSuite from "./RolloutStoreSuite.ts"

RolloutStoreSuite.suite(
  "in memory",
  Layer.mergeAll(InMemory.RolloutStore, InMemory.FeedbackStore, InMemory.RunStore, InMemory.SessionStore).pipe(
    Layer.provide(MemoryDatabase.layer)
  )
)
