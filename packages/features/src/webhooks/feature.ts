// Webhooks: addresses that the service calls when something happened.
import { Effect, Layer } from "effect"
import * as Feature from "../Feature.ts"
import { attemptJob, eventJob, eventSignal, upkeepJob } from "./delivery.ts"
import { DeliveryStore } from "./DeliveryStore.ts"
import { webhooks as migrations } from "./migrations.ts"
import * as SqlDeliveryStore from "./SqlDeliveryStore.ts"
import * as SqlWebhookStore from "./SqlWebhookStore.ts"
import * as Webhooks from "./Webhooks.ts"
import * as Endpoints from "./WebhooksApi.ts"
import { WebhookLimits, webhookSettings } from "./WebhookSettings.ts"
import { handlers } from "./WebhooksHandlers.ts"
import { ServiceWebhooks, WebhookStore } from "./WebhookStore.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly webhooks: typeof WebhookStore
    readonly deliveries: typeof DeliveryStore
  }
}

export const webhooks = Feature.make({
  name: "webhooks",
  stores: {
    services: { webhooks: WebhookStore, deliveries: DeliveryStore },
    layer: Layer.mergeAll(SqlWebhookStore.layer, SqlDeliveryStore.layer)
  },
  migrations,
  groups: [Endpoints.Webhooks],
  handlers,
  settings: webhookSettings,
  service: (limits: WebhookLimits) => Layer.merge(Layer.succeed(WebhookLimits, limits), ServiceWebhooks.layer),
  // executes the jobs of events at once that ends of runs announce to webhooks
  workers: () => eventSignal,
  jobs: (_, { isOwn }) => Effect.all([eventJob, attemptJob, upkeepJob(isOwn)]),
  requests: () => Webhooks.layer
})
