import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import * as SchedulerSuite from "./SchedulerSuite.ts"

SchedulerSuite.suite("in memory", InMemory.layer)
