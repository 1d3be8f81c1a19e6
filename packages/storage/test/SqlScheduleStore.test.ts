import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as ScheduleStoreSuite from "@svc/testing/suites/ScheduleStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlScheduleStore from "../src/SqlScheduleStore.ts"

ScheduleStoreSuite.suite(
  "on PGlite",
  SqlScheduleStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layer))
)
