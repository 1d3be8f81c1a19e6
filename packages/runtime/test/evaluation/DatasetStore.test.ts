import { DatasetStore } from "@svc/runtime/evaluation/datasets/DatasetStore"
import { MemoryDatabase } from "@svc/runtime/inMemory/MemoryDatabase"
import * as DatasetStoreSuite from "@svc/testing/suites/DatasetStoreSuite"
import { Layer } from "effect"

DatasetStoreSuite.suite("in memory", DatasetStore.layerMemory.pipe(Layer.provide(MemoryDatabase.layer)))
