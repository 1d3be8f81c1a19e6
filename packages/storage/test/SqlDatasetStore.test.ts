import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as DatasetStoreSuite from "@svc/testing/suites/DatasetStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlDatasetStore from "../src/SqlDatasetStore.ts"

DatasetStoreSuite.suite(
  "on PGlite",
  SqlDatasetStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layer))
)
