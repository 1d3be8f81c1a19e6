import * as Stores from "@svc/runtime/database/Stores"
import * as ScheduleRunStoreSuite from "@svc/testing/suites/ScheduleRunStoreSuite"

ScheduleRunStoreSuite.suite("in memory", Stores.layerMemory)
