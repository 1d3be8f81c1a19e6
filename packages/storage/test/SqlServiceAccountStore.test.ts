import * as Migrations from "@svc/storage/Migrations"
import * as SqlServiceAccountStore from "@svc/storage/SqlServiceAccountStore"
import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as ServiceAccountStoreSuite from "@svc/testing/suites/ServiceAccountStoreSuite"
import { Layer } from "effect"

ServiceAccountStoreSuite.suite(
  "on PGlite",
  SqlServiceAccountStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layer))
)
