import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as WebhookStoreSuite from "@svc/testing/suites/WebhookStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlWebhookStore from "../src/SqlWebhookStore.ts"

WebhookStoreSuite.suite(
  "on PGlite",
  SqlWebhookStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layer))
)
