import * as JobWorkerSuite from "@svc-runtime/test-support/suites/JobWorkerSuite"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"

JobWorkerSuite.suite("in memory", InMemory.layer)
