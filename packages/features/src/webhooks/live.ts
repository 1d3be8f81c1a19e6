// What the feature does in a service that has it.
import { Effect, Layer } from "effect"
import * as Feature from "../Feature.ts"
import * as DeclaredWebhooks from "./DeclaredWebhooks.ts"
import { attemptJob, eventJob, eventSignal, upkeepJob } from "./delivery.ts"
import * as SqlDeliveryStore from "./SqlDeliveryStore.ts"
import * as SqlWebhookStore from "./SqlWebhookStore.ts"
import * as Webhooks from "./Webhooks.ts"
import { type Limits, WebhookLimits } from "./WebhookSettings.ts"
import { handlers } from "./WebhooksHandlers.ts"
import { ServiceWebhooks } from "./WebhookStore.ts"

export const live = Feature.live({
  stores: Layer.mergeAll(SqlWebhookStore.layer, SqlDeliveryStore.layer),
  handlers,
  service: (limits: Limits) => Layer.merge(Layer.succeed(WebhookLimits, limits), ServiceWebhooks.layer),
  // executes the jobs of events at once that ends of runs announce to webhooks
  workers: () => eventSignal,
  jobs: (_, { isOwn }) => Effect.all([eventJob, attemptJob, upkeepJob(isOwn)]),
  declares: (_, { webhooks = [] }) => DeclaredWebhooks.kind(webhooks),
  requests: () => Webhooks.layer,
  endsWithAccount: () => Webhooks.endsWithAccount
})
