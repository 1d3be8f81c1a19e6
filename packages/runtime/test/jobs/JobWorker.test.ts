import { Stores } from "@svc/runtime"
import * as JobWorkerSuite from "@svc/testing/suites/JobWorkerSuite"

JobWorkerSuite.suite("in memory", Stores.layerMemory)
