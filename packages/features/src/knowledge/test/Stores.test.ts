import { everyDatabase, everyStore } from "@svc-runtime/test-support/stores/everyStore"
import * as ChunkStoreSuite from "./ChunkStoreSuite.ts"
import * as ContentRemovalSuite from "./ContentRemovalSuite.ts"
import * as ContentStoreSuite from "./ContentStoreSuite.ts"

everyStore(ChunkStoreSuite.suite, { memory: 3, pglite: 4, postgres: 4 })
everyStore(ContentStoreSuite.suite, { pglite: 4, postgres: 4 })
everyDatabase(ContentRemovalSuite.suite, { pglite: 8, postgres: 10 })
