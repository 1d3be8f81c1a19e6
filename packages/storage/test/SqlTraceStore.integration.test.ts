import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as Sample from "@svc/testing/Sample"
import * as TraceStoreSuite from "@svc/testing/suites/TraceStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlTraceStore from "../src/SqlTraceStore.ts"

Sample.oneTestIn(6)
TraceStoreSuite.suite(
  "on PostgreSQL",
  SqlTraceStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PostgresLayer.layer))
)
