import { MemoryDatabase } from "@svc-runtime/agents/inMemory/MemoryDatabase"
import { Layer } from "effect"
import { TraceStore } from "../TraceStore.ts"
import * as TraceStoreSuite from "./TraceStoreSuite.ts"

TraceStoreSuite.suite("in memory", TraceStore.layerMemory.pipe(Layer.provide(MemoryDatabase.layer)))
