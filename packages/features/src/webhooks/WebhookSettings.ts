// The limits of webhooks, and the settings that change them.
import { count, timeout } from "@svc-runtime/http/config/ConfigReaders"
import { Config as Env, Context, Duration } from "effect"
import type { Room } from "./WebhookStore.ts"

export interface Limits {
  /** Webhooks of the service (MAX_WEBHOOKS), and of one user (MAX_WEBHOOKS_PER_USER). */
  readonly room: Room
  /** Attempts of a delivery (WEBHOOK_MAX_ATTEMPTS). */
  readonly attempts: number
  /** Seconds before the second attempt (WEBHOOK_RETRY_DELAY). They double with each further one, up to an hour. */
  readonly retrySeconds: number
  /** Failed deliveries in a row after which a webhook is disabled (WEBHOOK_DISABLE_AFTER). */
  readonly disableAfter: number
  /** Bytes of the deliveries of a webhook that wait (WEBHOOK_QUEUE_MAX_BYTES). */
  readonly queueBytes: number
  /** Bytes of the body of a delivery (WEBHOOK_PAYLOAD_MAX_BYTES). */
  readonly payloadBytes: number
  /** Seconds for which ended deliveries are kept (WEBHOOK_RETENTION). Zero: forever. */
  readonly keepSeconds: number
}

export const defaultLimits: Limits = {
  room: { all: 100, ofUser: 10 },
  attempts: 12,
  retrySeconds: 5,
  disableAfter: 5,
  queueBytes: 1024 * 1024,
  payloadBytes: 64 * 1024,
  keepSeconds: 7 * 86_400
}

export class WebhookLimits
  extends Context.Service<WebhookLimits, Limits>()("@svc-runtime/features/webhooks/WebhookSettings/WebhookLimits")
{}

export const webhookSettings = Env.all({
  all: count("MAX_WEBHOOKS", defaultLimits.room.all),
  ofUser: count("MAX_WEBHOOKS_PER_USER", defaultLimits.room.ofUser),
  attempts: count("WEBHOOK_MAX_ATTEMPTS", defaultLimits.attempts),
  retryDelay: timeout("WEBHOOK_RETRY_DELAY", Duration.seconds(defaultLimits.retrySeconds)),
  disableAfter: count("WEBHOOK_DISABLE_AFTER", defaultLimits.disableAfter),
  queueBytes: count("WEBHOOK_QUEUE_MAX_BYTES", defaultLimits.queueBytes),
  payloadBytes: count("WEBHOOK_PAYLOAD_MAX_BYTES", defaultLimits.payloadBytes),
  retention: timeout("WEBHOOK_RETENTION", Duration.seconds(defaultLimits.keepSeconds))
}).pipe(Env.map(({ all, ofUser, retention, retryDelay, ...limits }): Limits => ({
  ...limits,
  room: { all, ofUser },
  retrySeconds: Duration.toSeconds(retryDelay),
  keepSeconds: Duration.toSeconds(retention)
})))
