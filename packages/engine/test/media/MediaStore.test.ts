import { MemoryDatabase } from "@svc-runtime/agents/inMemory/MemoryDatabase"
import { MediaStore } from "@svc-runtime/engine/media/MediaStore"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as MediaStoreSuite from "@svc-runtime/test-support/suites/MediaStoreSuite"
import { Layer } from "effect"

MediaStoreSuite.suite(
  "in memory",
  Layer.mergeAll(MediaStore.layerMemory, RunStore.layerMemory, SessionStore.layerMemory).pipe(
    Layer.provide(MemoryDatabase.layer)
  )
)
