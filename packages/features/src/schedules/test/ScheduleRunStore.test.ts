import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import * as ScheduleRunStoreSuite from "./ScheduleRunStoreSuite.ts"
import * as ScheduleTraceSuite from "./ScheduleTraceSuite.ts"

ScheduleRunStoreSuite.suite("in memory", InMemory.layer)
ScheduleTraceSuite.suite("in memory", InMemory.layer)
