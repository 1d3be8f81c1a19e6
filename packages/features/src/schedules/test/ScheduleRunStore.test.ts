import * as Stores from "@svc-runtime/engine/database/Stores"
import * as ScheduleRunStoreSuite from "./ScheduleRunStoreSuite.ts"
import * as ScheduleTraceSuite from "./ScheduleTraceSuite.ts"

ScheduleRunStoreSuite.suite("in memory", Stores.layerMemory)
ScheduleTraceSuite.suite("in memory", Stores.layerMemory)
