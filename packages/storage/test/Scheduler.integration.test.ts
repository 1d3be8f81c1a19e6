import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as SchedulerSuite from "@svc/testing/suites/SchedulerSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

SchedulerSuite.suite("on PostgreSQL", SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer)))
