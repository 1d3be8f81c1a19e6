import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"
import * as ScheduleStoreSuite from "./ScheduleStoreSuite.ts"

ScheduleStoreSuite.suite("in memory", InMemory.ScheduleStore.pipe(Layer.provide(MemoryDatabase.layer)))
