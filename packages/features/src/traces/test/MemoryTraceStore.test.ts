import * as MemoryTraceStore from "../MemoryTraceStore.ts"
import * as TraceStoreSuite from "./TraceStoreSuite.ts"

TraceStoreSuite.suite("in memory", MemoryTraceStore.layer)
