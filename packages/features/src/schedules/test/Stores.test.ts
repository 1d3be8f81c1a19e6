import { everyStore } from "@svc-runtime/test-support/stores/everyStore"
import * as SchedulerSuite from "./SchedulerSuite.ts"
import * as ScheduleRunStoreSuite from "./ScheduleRunStoreSuite.ts"
import * as ScheduleStoreSuite from "./ScheduleStoreSuite.ts"

everyStore(ScheduleRunStoreSuite.suite)
everyStore(ScheduleStoreSuite.suite)
everyStore(SchedulerSuite.suite)
