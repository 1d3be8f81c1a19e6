import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as SqlJobStore from "@svc-runtime/postgres/SqlJobStore"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { Layer } from "effect"
import * as SqlDatasetStore from "../SqlDatasetStore.ts"
import * as SqlExperimentStore from "../SqlExperimentStore.ts"
import * as ExperimentStoreSuite from "./ExperimentStoreSuite.ts"

ExperimentStoreSuite.suite(
  "on PostgreSQL",
  Layer.mergeAll(SqlExperimentStore.layer, SqlDatasetStore.layer, SqlJobStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PostgresLayer.layer)
  )
)
