import { everyStore } from "@svc-runtime/test-support/stores/everyStore"
import * as RunStoreSuite from "@svc-runtime/test-support/suites/RunStoreSuite"

everyStore(RunStoreSuite.suite, { memory: 8, pglite: 12, postgres: 6 })
