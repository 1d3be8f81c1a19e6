import * as Migrations from "@svc/storage/Migrations"
import * as SqlIdempotencyStore from "@svc/storage/SqlIdempotencyStore"
import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as IdempotencyStoreSuite from "@svc/testing/suites/IdempotencyStoreSuite"
import { Layer } from "effect"

IdempotencyStoreSuite.suite(
  "on PGlite",
  SqlIdempotencyStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layer))
)
