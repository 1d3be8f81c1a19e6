import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as ServiceAccountStoreSuite from "@svc-runtime/test-support/suites/ServiceAccountStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlServiceAccountStore from "../src/SqlServiceAccountStore.ts"

ServiceAccountStoreSuite.suite(
  "on PGlite",
  SqlServiceAccountStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layer))
)
