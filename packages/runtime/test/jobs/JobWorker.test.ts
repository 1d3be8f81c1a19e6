import * as Stores from "@svc/runtime/database/Stores"
import * as JobWorkerSuite from "@svc/testing/suites/JobWorkerSuite"

JobWorkerSuite.suite("in memory", Stores.layerMemory)
