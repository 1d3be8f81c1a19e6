import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as Sample from "@svc/testing/Sample"
import * as ScheduleRunStoreSuite from "@svc/testing/suites/ScheduleRunStoreSuite"
import * as ScheduleTraceSuite from "@svc/testing/suites/ScheduleTraceSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

Sample.oneTestIn(6)

const stores = SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer))

ScheduleRunStoreSuite.suite("on PostgreSQL", stores)
ScheduleTraceSuite.suite("on PostgreSQL", stores)
