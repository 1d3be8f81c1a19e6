import * as Stores from "@svc-runtime/engine/database/Stores"
import * as JobWorkerSuite from "@svc-runtime/test-support/suites/JobWorkerSuite"

JobWorkerSuite.suite("in memory", Stores.layerMemory)
