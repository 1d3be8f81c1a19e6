import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as IdempotencyStoreSuite from "@svc-runtime/test-support/suites/IdempotencyStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlIdempotencyStore from "../src/SqlIdempotencyStore.ts"

IdempotencyStoreSuite.suite(
  "on PGlite",
  SqlIdempotencyStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layer))
)
