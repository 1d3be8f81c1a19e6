import * as IdempotencyStoreSuite from "@svc-runtime/test-support/suites/IdempotencyStoreSuite"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"

IdempotencyStoreSuite.suite("in memory", InMemory.IdempotencyStore)
