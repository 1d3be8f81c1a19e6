import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"
import * as MemoryBackgroundTaskStore from "../MemoryBackgroundTaskStore.ts"
import * as BackgroundTaskStoreSuite from "./BackgroundTaskStoreSuite.ts"

BackgroundTaskStoreSuite.suite(
  "in memory",
  MemoryBackgroundTaskStore.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(InMemory.JobStore, InMemory.RunStore, InMemory.SessionStore)),
    Layer.provide(MemoryDatabase.layer)
  )
)
