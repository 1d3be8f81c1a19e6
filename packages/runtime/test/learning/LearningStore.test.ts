import { MemoryDatabase } from "@svc/runtime/inMemory/MemoryDatabase"
import { JobStore } from "@svc/runtime/jobs/JobStore"
import { LearningStore } from "@svc/runtime/learning/LearningStore"
import { MemoryStore } from "@svc/runtime/memory/MemoryStore"
import { RunStore } from "@svc/runtime/run/store/RunStore"
import { SessionStore } from "@svc/runtime/session/SessionStore"
import * as LearningStoreSuite from "@svc/testing/suites/LearningStoreSuite"
import { Layer } from "effect"

LearningStoreSuite.suite(
  "in memory",
  Layer.mergeAll(
    JobStore.layerMemory,
    LearningStore.layerMemory,
    MemoryStore.layerMemory,
    RunStore.layerMemory,
    SessionStore.layerMemory
  ).pipe(Layer.provide(MemoryDatabase.layer))
)
