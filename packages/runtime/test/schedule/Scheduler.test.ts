import * as Stores from "@svc/runtime/database/Stores"
import * as SchedulerSuite from "@svc/testing/suites/SchedulerSuite"

SchedulerSuite.suite("in memory", Stores.layerMemory)
