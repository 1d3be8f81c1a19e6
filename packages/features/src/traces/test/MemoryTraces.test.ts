import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"
import * as TraceStoreSuite from "./TraceStoreSuite.ts"

TraceStoreSuite.suite("in memory", InMemory.TraceStore.pipe(Layer.provide(MemoryDatabase.layer)))
