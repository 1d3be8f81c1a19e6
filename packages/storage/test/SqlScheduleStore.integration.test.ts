import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as Sample from "@svc/testing/Sample"
import * as ScheduleStoreSuite from "@svc/testing/suites/ScheduleStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlScheduleStore from "../src/SqlScheduleStore.ts"

Sample.oneTestIn(6)
ScheduleStoreSuite.suite(
  "on PostgreSQL",
  SqlScheduleStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PostgresLayer.layer))
)
