import * as ServiceAccountStoreSuite from "@svc-runtime/test-support/suites/ServiceAccountStoreSuite"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"

ServiceAccountStoreSuite.suite("in memory", InMemory.ServiceAccountStore)
