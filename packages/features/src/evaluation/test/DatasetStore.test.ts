import { MemoryDatabase } from "@svc-runtime/agents/inMemory/MemoryDatabase"
import { Layer } from "effect"
import { DatasetStore } from "../datasets/DatasetStore.ts"
import * as DatasetStoreSuite from "./DatasetStoreSuite.ts"

DatasetStoreSuite.suite("in memory", DatasetStore.layerMemory.pipe(Layer.provide(MemoryDatabase.layer)))
