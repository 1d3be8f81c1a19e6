import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Sample from "@svc-runtime/test-support/Sample"
import { Layer } from "effect"
import * as ScheduleRunStoreSuite from "./ScheduleRunStoreSuite.ts"
import * as ScheduleTraceSuite from "./ScheduleTraceSuite.ts"

Sample.oneTestIn(6)

const stores = SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer))

ScheduleRunStoreSuite.suite("on PostgreSQL", stores)
ScheduleTraceSuite.suite("on PostgreSQL", stores)
