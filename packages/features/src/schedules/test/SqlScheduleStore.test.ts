import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import * as SqlScheduleStore from "../SqlScheduleStore.ts"
import * as ScheduleStoreSuite from "./ScheduleStoreSuite.ts"

ScheduleStoreSuite.suite(
  "on PGlite",
  SqlScheduleStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layer))
)
