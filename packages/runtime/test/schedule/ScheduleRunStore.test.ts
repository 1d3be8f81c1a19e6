import * as Stores from "@svc/runtime/database/Stores"
import * as ScheduleRunStoreSuite from "@svc/testing/suites/ScheduleRunStoreSuite"
import * as ScheduleTraceSuite from "@svc/testing/suites/ScheduleTraceSuite"

ScheduleRunStoreSuite.suite("in memory", Stores.layerMemory)
ScheduleTraceSuite.suite("in memory", Stores.layerMemory)
