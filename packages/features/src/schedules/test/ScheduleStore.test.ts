import { MemoryDatabase } from "@svc-runtime/agents/inMemory/MemoryDatabase"
import { Layer } from "effect"
import { ScheduleStore } from "../ScheduleStore.ts"
import * as ScheduleStoreSuite from "./ScheduleStoreSuite.ts"

ScheduleStoreSuite.suite("in memory", ScheduleStore.layerMemory.pipe(Layer.provide(MemoryDatabase.layer)))
