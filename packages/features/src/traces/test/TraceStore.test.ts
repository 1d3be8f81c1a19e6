import { everyStore } from "@svc-runtime/test-support/stores/everyStore"
import * as TraceStoreSuite from "./TraceStoreSuite.ts"

everyStore(TraceStoreSuite.suite, { pglite: 5, postgres: 6 })
