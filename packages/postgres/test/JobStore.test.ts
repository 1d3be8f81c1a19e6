import { everyDatabase, everyStore } from "@svc-runtime/test-support/stores/everyStore"
import * as JobStoreSuite from "@svc-runtime/test-support/suites/JobStoreSuite"
import * as JobWorkerSuite from "@svc-runtime/test-support/suites/JobWorkerSuite"
import * as JobTransactionsSuite from "./JobTransactionsSuite.ts"

everyStore(JobStoreSuite.suite, { postgres: 4 })
everyStore(JobWorkerSuite.suite, { memory: 6, pglite: 10, postgres: 12 })
everyDatabase(JobTransactionsSuite.suite)
