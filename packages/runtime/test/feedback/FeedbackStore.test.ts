import { FeedbackStore } from "@svc/runtime/feedback/FeedbackStore"
import { MemoryDatabase } from "@svc/runtime/inMemory/MemoryDatabase"
import { RunStore } from "@svc/runtime/run/store/RunStore"
import { SessionStore } from "@svc/runtime/session/SessionStore"
import * as FeedbackStoreSuite from "@svc/testing/suites/FeedbackStoreSuite"
import { Layer } from "effect"

FeedbackStoreSuite.suite(
  "in memory",
  Layer.mergeAll(FeedbackStore.layerMemory, RunStore.layerMemory, SessionStore.layerMemory).pipe(
    Layer.provide(MemoryDatabase.layer)
  )
)
