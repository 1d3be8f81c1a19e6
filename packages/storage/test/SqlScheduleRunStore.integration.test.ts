import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as Sample from "@svc/testing/Sample"
import * as ScheduleRunStoreSuite from "@svc/testing/suites/ScheduleRunStoreSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

Sample.oneTestIn(6)
ScheduleRunStoreSuite.suite("on PostgreSQL", SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer)))
