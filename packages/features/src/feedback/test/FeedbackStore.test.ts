import { MemoryDatabase } from "@svc-runtime/agents/inMemory/MemoryDatabase"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Layer } from "effect"
import { FeedbackStore } from "../FeedbackStore.ts"
import * as FeedbackStoreSuite from "./FeedbackStoreSuite.ts"

FeedbackStoreSuite.suite(
  "in memory",
  Layer.mergeAll(FeedbackStore.layerMemory, RunStore.layerMemory, SessionStore.layerMemory).pipe(
    Layer.provide(MemoryDatabase.layer)
  )
)
