import { MemoryDatabase } from "@svc-runtime/agents/inMemory/MemoryDatabase"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Layer } from "effect"
import { MemoryStore } from "../../memory/MemoryStore.ts"
import { LearningStore } from "../LearningStore.ts"
import * as LearningStoreSuite from "./LearningStoreSuite.ts"

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
