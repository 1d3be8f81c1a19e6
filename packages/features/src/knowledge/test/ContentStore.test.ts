import { MemoryDatabase } from "@svc-runtime/agents/inMemory/MemoryDatabase"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { Layer } from "effect"
import { ContentStore } from "../ContentStore.ts"
import * as ContentStoreSuite from "./ContentStoreSuite.ts"

ContentStoreSuite.suite(
  "in memory",
  Layer.mergeAll(ContentStore.layerMemory, JobStore.layerMemory).pipe(Layer.provide(MemoryDatabase.layer))
)
