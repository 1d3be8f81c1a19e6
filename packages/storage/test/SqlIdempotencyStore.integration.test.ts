import * as Migrations from "@svc/storage/Migrations"
import * as SqlIdempotencyStore from "@svc/storage/SqlIdempotencyStore"
import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as IdempotencyStoreSuite from "@svc/testing/suites/IdempotencyStoreSuite"
import { Layer } from "effect"

IdempotencyStoreSuite.suite(
  "on PostgreSQL",
  SqlIdempotencyStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PostgresLayer.layer))
)
