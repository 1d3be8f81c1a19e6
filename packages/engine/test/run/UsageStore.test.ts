import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import * as UsageStoreSuite from "@svc-runtime/test-support/suites/UsageStoreSuite"

UsageStoreSuite.suite("in memory", InMemory.layer)
