// How the in-memory layers keep webhooks and their deliveries.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Job from "@svc-runtime/engine/jobs/Job"
import type * as Webhook from "@svc-runtime/features/webhooks/Webhook"
import type * as WebhookDelivery from "@svc-runtime/features/webhooks/WebhookDelivery"
import type { Redacted } from "effect"

export interface StoredWebhook {
  readonly sequence: number
  readonly webhook: Webhook.Webhook
  readonly secret: Redacted.Redacted
  /** The replaced secret, and the time until which it signs as well. */
  readonly previous: { readonly secret: Redacted.Redacted; readonly until: number } | undefined
}

export interface StoredDelivery {
  readonly sequence: number
  readonly delivery: WebhookDelivery.Delivery
  readonly user_id: Ids.UserId | null
  readonly session_id: string | null
  /** Makes the next attempt, or has made the last one. */
  readonly job: Job.Id
}
