import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as OAuthStoreSuite from "@svc-runtime/test-support/suites/OAuthStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlOAuthStore from "../src/SqlOAuthStore.ts"

OAuthStoreSuite.suite(
  "on PGlite",
  SqlOAuthStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layer))
)
