import { MemoryDatabase } from "@svc/runtime/inMemory/MemoryDatabase"
import { MediaStore } from "@svc/runtime/media/MediaStore"
import { RunStore } from "@svc/runtime/run/store/RunStore"
import { SessionStore } from "@svc/runtime/session/SessionStore"
import * as MediaStoreSuite from "@svc/testing/suites/MediaStoreSuite"
import { Layer } from "effect"

MediaStoreSuite.suite(
  "in memory",
  Layer.mergeAll(MediaStore.layerMemory, RunStore.layerMemory, SessionStore.layerMemory).pipe(
    Layer.provide(MemoryDatabase.layer)
  )
)
