// Webhooks: addresses that the service calls when something happened.
import * as Feature from "../Feature.ts"
import { DeliveryStore } from "./DeliveryStore.ts"
import { webhooks as migrations } from "./migrations.ts"
import * as Endpoints from "./WebhooksApi.ts"
import { webhookSettings } from "./WebhookSettings.ts"
import { WebhookStore } from "./WebhookStore.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly webhooks: typeof WebhookStore
    readonly deliveries: typeof DeliveryStore
  }
}

export const webhooks = Feature.make({
  name: "webhooks",
  groups: [Endpoints.Webhooks],
  settings: webhookSettings,
  stores: { webhooks: WebhookStore, deliveries: DeliveryStore },
  migrations,
  load: () => import("./live.ts")
})
