// Webhooks: addresses that the service calls when something happened.
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as DeclaredComponent from "../declarations/DeclaredComponent.ts"
import * as DeclaredOption from "../declarations/DeclaredOption.ts"
import * as Feature from "../Feature.ts"
import type * as DeclaredWebhooks from "./DeclaredWebhooks.ts"
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

declare module "@svc-runtime/features/declarations/DeclaredOption" {
  interface Declarable {
    /** Addresses that the service calls when an event happens. */
    readonly webhooks?: ReadonlyArray<DeclaredWebhooks.Declaration> | undefined
  }
}

const declared = DeclaredOption.make("webhooks", {
  label: "The webhook",
  kinds: { name: "text", url: "text", events: "list", secret: "any", component: "any", description: "text" },
  check: (owner, { component, events }) => {
    DeclaredComponent.check(owner, component)
    if (events === undefined) throw new Mistake(`${owner} has no events. Give it a list, such as ['run.failed']`)
  }
})

export const webhooks = Feature.make({
  name: "webhooks",
  groups: [Endpoints.Webhooks],
  settings: webhookSettings,
  declared,
  stores: { webhooks: WebhookStore, deliveries: DeliveryStore },
  migrations,
  load: () => import("./live.ts")
})
