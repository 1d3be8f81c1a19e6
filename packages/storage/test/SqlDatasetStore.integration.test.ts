import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as Sample from "@svc/testing/Sample"
import * as DatasetStoreSuite from "@svc/testing/suites/DatasetStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlDatasetStore from "../src/SqlDatasetStore.ts"

Sample.oneTestIn(6)
DatasetStoreSuite.suite(
  "on PostgreSQL",
  SqlDatasetStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PostgresLayer.layer))
)
