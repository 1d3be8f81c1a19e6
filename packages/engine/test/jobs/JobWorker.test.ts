import * as JobWorkerSuite from "@svc-runtime/test-support/suites/JobWorkerSuite"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"

Tier.oneIn(6)

JobWorkerSuite.suite("in memory", InMemory.layer)
