import { MemoryDatabase } from "@svc/runtime/inMemory/MemoryDatabase"
import { TraceStore } from "@svc/runtime/trace/TraceStore"
import * as TraceStoreSuite from "@svc/testing/suites/TraceStoreSuite"
import { Layer } from "effect"

TraceStoreSuite.suite("in memory", TraceStore.layerMemory.pipe(Layer.provide(MemoryDatabase.layer)))
