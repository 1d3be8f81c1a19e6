import * as MediaStoreSuite from "@svc-runtime/test-support/suites/MediaStoreSuite"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"

MediaStoreSuite.suite(
  "in memory",
  Layer.mergeAll(InMemory.MediaStore, InMemory.RunStore, InMemory.SessionStore).pipe(
    Layer.provide(MemoryDatabase.layer)
  )
)
