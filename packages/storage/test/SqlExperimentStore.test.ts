import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as ExperimentStoreSuite from "@svc/testing/suites/ExperimentStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlDatasetStore from "../src/SqlDatasetStore.ts"
import * as SqlExperimentStore from "../src/SqlExperimentStore.ts"
import * as SqlJobStore from "../src/SqlJobStore.ts"

ExperimentStoreSuite.suite(
  "on PGlite",
  Layer.mergeAll(SqlExperimentStore.layer, SqlDatasetStore.layer, SqlJobStore.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(PgliteLayer.layer)
  )
)
