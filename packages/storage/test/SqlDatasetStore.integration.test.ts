import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as DatasetStoreSuite from "@svc/testing/suites/DatasetStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlDatasetStore from "../src/SqlDatasetStore.ts"

DatasetStoreSuite.suite(
  "on PostgreSQL",
  SqlDatasetStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PostgresLayer.layer))
)
