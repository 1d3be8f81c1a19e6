import { MemoryDatabase } from "@svc-runtime/agents/inMemory/MemoryDatabase"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Layer } from "effect"
import { TaskPushStore } from "../TaskPushStore.ts"
import * as TaskPushStoreSuite from "./TaskPushStoreSuite.ts"

TaskPushStoreSuite.suite(
  "in memory",
  Layer.mergeAll(TaskPushStore.layerMemory, RunStore.layerMemory, SessionStore.layerMemory).pipe(
    Layer.provide(MemoryDatabase.layer)
  )
)
