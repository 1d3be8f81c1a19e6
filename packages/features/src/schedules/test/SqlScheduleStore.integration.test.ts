import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { Layer } from "effect"
import * as SqlScheduleStore from "../SqlScheduleStore.ts"
import * as ScheduleStoreSuite from "./ScheduleStoreSuite.ts"

ScheduleStoreSuite.suite(
  "on PostgreSQL",
  SqlScheduleStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PostgresLayer.layer))
)
