import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as Sample from "@svc/testing/Sample"
import * as WebhookStoreSuite from "@svc/testing/suites/WebhookStoreSuite"
import { Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlWebhookStore from "../src/SqlWebhookStore.ts"

Sample.oneTestIn(6)
WebhookStoreSuite.suite(
  "on PostgreSQL",
  SqlWebhookStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(PostgresLayer.layer))
)
