import * as Stores from "@svc-runtime/engine/database/Stores"
import * as SchedulerSuite from "./SchedulerSuite.ts"

SchedulerSuite.suite("in memory", Stores.layerMemory)
