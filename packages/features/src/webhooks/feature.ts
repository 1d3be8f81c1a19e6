// Webhooks: addresses that the service calls when something happened.
import { Effect, Layer } from "effect"
import * as Feature from "../Feature.ts"
import * as AttemptJob from "./AttemptJob.ts"
import { DeliveryStore } from "./DeliveryStore.ts"
import * as EventJob from "./EventJob.ts"
import * as EventSignal from "./EventSignal.ts"
import { webhooks as migrations } from "./migrations.ts"
import { RoutedDeliveries } from "./RoutedDeliveries.ts"
import { ServiceWebhooks } from "./ServiceWebhooks.ts"
import * as SqlDeliveryStore from "./SqlDeliveryStore.ts"
import * as SqlWebhookStore from "./SqlWebhookStore.ts"
import * as UpkeepJob from "./UpkeepJob.ts"
import { WebhookLimits } from "./WebhookLimits.ts"
import * as Endpoints from "./WebhooksApi.ts"
import { webhookSettings } from "./WebhookSettings.ts"
import { Webhooks } from "./WebhooksHandlers.ts"
import { WebhookStore } from "./WebhookStore.ts"

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
  handlers: Webhooks,
  settings: webhookSettings,
  service: (limits: WebhookLimits) => Layer.merge(Layer.succeed(WebhookLimits, limits), ServiceWebhooks.layer),
  // executes the jobs of events at once that ends of runs announce to webhooks
  workers: () => EventSignal.layer,
  jobs: (_, { isOwn }) => Effect.all([EventJob.kind, AttemptJob.kind, UpkeepJob.kind(isOwn)]),
  requests: () => RoutedDeliveries.layer
})
