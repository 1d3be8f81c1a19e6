import { LearningStore } from "@svc/runtime/learning/LearningStore"
import { MemoryDatabase } from "@svc/runtime/MemoryDatabase"
import { SessionStore } from "@svc/runtime/session/SessionStore"
import * as LearningStoreSuite from "@svc/testing/suites/LearningStoreSuite"
import { Layer } from "effect"

LearningStoreSuite.suite(
  "in memory",
  Layer.mergeAll(LearningStore.layerMemory, SessionStore.layerMemory).pipe(Layer.provide(MemoryDatabase.layer))
)
