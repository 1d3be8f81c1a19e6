import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"
import * as TaskPushStoreSuite from "./TaskPushStoreSuite.ts"

TaskPushStoreSuite.suite(
  "in memory",
  Layer.mergeAll(InMemory.TaskPushStore, InMemory.RunStore, InMemory.SessionStore).pipe(
    Layer.provide(MemoryDatabase.layer)
  )
)
