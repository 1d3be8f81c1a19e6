import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import * as SqlDatasetStore from "../SqlDatasetStore.ts"
import * as DatasetStoreSuite from "./DatasetStoreSuite.ts"

DatasetStoreSuite.suite(
  "on PGlite",
  SqlDatasetStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layer))
)
