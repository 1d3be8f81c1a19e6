import { everyStore } from "@svc-runtime/test-support/stores/everyStore"
import * as SessionStoreSuite from "@svc-runtime/test-support/suites/SessionStoreSuite"

everyStore(SessionStoreSuite.suite, { memory: 8, pglite: 10, postgres: 8 })
