import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import * as SqlWebhookStore from "../SqlWebhookStore.ts"
import * as WebhookStoreSuite from "./WebhookStoreSuite.ts"

WebhookStoreSuite.suite(
  "on PGlite",
  SqlWebhookStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PgliteLayer.layer))
)
