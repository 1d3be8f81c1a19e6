import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as ScheduleRunStoreSuite from "@svc/testing/suites/ScheduleRunStoreSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

ScheduleRunStoreSuite.suite("on PostgreSQL", SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer)))
