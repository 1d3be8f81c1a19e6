// The webhooks of the service, for the jobs of all of its databases: they are in the service's own database.
import { Context, Layer } from "effect"
import { WebhookStore } from "./WebhookStore.ts"

export class ServiceWebhooks extends Context.Service<ServiceWebhooks, WebhookStore["Service"]>()(
  "@svc-runtime/features/webhooks/ServiceWebhooks"
) {
  static readonly layer: Layer.Layer<ServiceWebhooks, never, WebhookStore> = Layer.effect(ServiceWebhooks, WebhookStore)
}
