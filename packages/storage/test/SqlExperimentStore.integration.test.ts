import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as Sample from "@svc/testing/Sample"
import * as ExperimentStoreSuite from "@svc/testing/suites/ExperimentStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlDatasetStore from "../src/SqlDatasetStore.ts"
import * as SqlExperimentStore from "../src/SqlExperimentStore.ts"
import * as SqlJobStore from "../src/SqlJobStore.ts"

Sample.oneTestIn(6)
ExperimentStoreSuite.suite(
  "on PostgreSQL",
  Layer.mergeAll(SqlExperimentStore.layer, SqlDatasetStore.layer, SqlJobStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PostgresLayer.layer)
  )
)
