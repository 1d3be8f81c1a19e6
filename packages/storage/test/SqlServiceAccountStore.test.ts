import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as ServiceAccountStoreSuite from "@svc/testing/suites/ServiceAccountStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlServiceAccountStore from "../src/SqlServiceAccountStore.ts"

ServiceAccountStoreSuite.suite(
  "on PGlite",
  SqlServiceAccountStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layer))
)
