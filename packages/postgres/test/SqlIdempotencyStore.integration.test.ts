import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as IdempotencyStoreSuite from "@svc-runtime/test-support/suites/IdempotencyStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlIdempotencyStore from "../src/SqlIdempotencyStore.ts"

IdempotencyStoreSuite.suite(
  "on PostgreSQL",
  SqlIdempotencyStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PostgresLayer.layer))
)
