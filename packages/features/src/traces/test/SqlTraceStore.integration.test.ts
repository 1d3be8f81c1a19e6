import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"
import * as SqlTraceStore from "../SqlTraceStore.ts"
import * as TraceStoreSuite from "./TraceStoreSuite.ts"

Tier.oneIn(6)

TraceStoreSuite.suite(
  "on PostgreSQL",
  SqlTraceStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PostgresLayer.layer))
)
