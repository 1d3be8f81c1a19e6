import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { Layer } from "effect"
import * as SqlDatasetStore from "../SqlDatasetStore.ts"
import * as DatasetStoreSuite from "./DatasetStoreSuite.ts"

DatasetStoreSuite.suite(
  "on PostgreSQL",
  SqlDatasetStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PostgresLayer.layer))
)
