import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"
import * as DatasetStoreSuite from "./DatasetStoreSuite.ts"

DatasetStoreSuite.suite("in memory", InMemory.DatasetStore.pipe(Layer.provide(MemoryDatabase.layer)))
