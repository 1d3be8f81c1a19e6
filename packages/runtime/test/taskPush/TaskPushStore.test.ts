import { MemoryDatabase } from "@svc/runtime/inMemory/MemoryDatabase"
import { RunStore } from "@svc/runtime/run/store/RunStore"
import { SessionStore } from "@svc/runtime/session/SessionStore"
import { TaskPushStore } from "@svc/runtime/taskPush/TaskPushStore"
import * as TaskPushStoreSuite from "@svc/testing/suites/TaskPushStoreSuite"
import { Layer } from "effect"

TaskPushStoreSuite.suite(
  "in memory",
  Layer.mergeAll(TaskPushStore.layerMemory, RunStore.layerMemory, SessionStore.layerMemory).pipe(
    Layer.provide(MemoryDatabase.layer)
  )
)
