import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { Layer } from "effect"
import * as SqlStores from "../../SqlStores.ts"
import * as ScheduleRunStoreSuite from "./ScheduleRunStoreSuite.ts"
import * as ScheduleTraceSuite from "./ScheduleTraceSuite.ts"

const stores = SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer))

ScheduleRunStoreSuite.suite("on PostgreSQL", stores)
ScheduleTraceSuite.suite("on PostgreSQL", stores)
