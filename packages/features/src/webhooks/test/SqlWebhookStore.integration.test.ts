import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { Layer } from "effect"
import * as SqlWebhookStore from "../SqlWebhookStore.ts"
import * as WebhookStoreSuite from "./WebhookStoreSuite.ts"

WebhookStoreSuite.suite(
  "on PostgreSQL",
  SqlWebhookStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PostgresLayer.layer))
)
