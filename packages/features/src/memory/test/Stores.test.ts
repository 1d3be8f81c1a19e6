import { everyStore } from "@svc-runtime/test-support/stores/everyStore"
import * as MemoryStoreSuite from "./MemoryStoreSuite.ts"
import * as MemoryVectorStoreSuite from "./MemoryVectorStoreSuite.ts"

everyStore(MemoryStoreSuite.suite, { pglite: 5, postgres: 4 })
everyStore(MemoryVectorStoreSuite.suite)
