import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Sample from "@svc-runtime/test-support/Sample"
import { Layer } from "effect"
import * as SqlScheduleStore from "../SqlScheduleStore.ts"
import * as ScheduleStoreSuite from "./ScheduleStoreSuite.ts"

Sample.oneTestIn(6)
ScheduleStoreSuite.suite(
  "on PostgreSQL",
  SqlScheduleStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PostgresLayer.layer))
)
