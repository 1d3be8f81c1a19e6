import { MemoryDatabase } from "@svc/runtime/inMemory/MemoryDatabase"
import { ScheduleStore } from "@svc/runtime/schedule/ScheduleStore"
import * as ScheduleStoreSuite from "@svc/testing/suites/ScheduleStoreSuite"
import { Layer } from "effect"

ScheduleStoreSuite.suite("in memory", ScheduleStore.layerMemory.pipe(Layer.provide(MemoryDatabase.layer)))
