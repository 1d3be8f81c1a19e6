import * as UsageStoreSuite from "@svc-runtime/test-support/suites/UsageStoreSuite"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"

UsageStoreSuite.suite("in memory", InMemory.layer)
