import { MemoryDatabase } from "@svc/runtime/inMemory/MemoryDatabase"
import { JobStore } from "@svc/runtime/jobs/JobStore"
import { ContentStore } from "@svc/runtime/knowledge/ContentStore"
import * as ContentStoreSuite from "@svc/testing/suites/ContentStoreSuite"
import { Layer } from "effect"

ContentStoreSuite.suite(
  "in memory",
  Layer.mergeAll(ContentStore.layerMemory, JobStore.layerMemory).pipe(Layer.provide(MemoryDatabase.layer))
)
