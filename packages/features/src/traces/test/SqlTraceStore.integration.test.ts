import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { Layer } from "effect"
import * as SqlTraceStore from "../SqlTraceStore.ts"
import * as TraceStoreSuite from "./TraceStoreSuite.ts"

TraceStoreSuite.suite(
  "on PostgreSQL",
  SqlTraceStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PostgresLayer.layer))
)
