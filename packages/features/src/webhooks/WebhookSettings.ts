// The settings of webhooks.
import { count, timeout } from "@svc-runtime/http/config/ConfigReaders"
import { Config as Env, Duration } from "effect"
import { defaultLimits, type WebhookLimits } from "./WebhookLimits.ts"

export const webhookSettings = Env.all({
  all: count("MAX_WEBHOOKS", defaultLimits.room.all),
  ofUser: count("MAX_WEBHOOKS_PER_USER", defaultLimits.room.ofUser),
  attempts: count("WEBHOOK_MAX_ATTEMPTS", defaultLimits.attempts),
  retryDelay: timeout("WEBHOOK_RETRY_DELAY", Duration.seconds(defaultLimits.retrySeconds)),
  timeout: timeout("WEBHOOK_TIMEOUT", Duration.seconds(defaultLimits.timeoutSeconds)),
  disableAfter: count("WEBHOOK_DISABLE_AFTER", defaultLimits.disableAfter),
  queueBytes: count("WEBHOOK_QUEUE_MAX_BYTES", defaultLimits.queueBytes),
  payloadBytes: count("WEBHOOK_PAYLOAD_MAX_BYTES", defaultLimits.payloadBytes),
  retention: timeout("WEBHOOK_RETENTION", Duration.seconds(defaultLimits.keepSeconds))
}).pipe(Env.map(({ all, ofUser, retention, retryDelay, timeout, ...limits }): WebhookLimits => ({
  ...limits,
  room: { all, ofUser },
  retrySeconds: Duration.toSeconds(retryDelay),
  timeoutSeconds: Duration.toSeconds(timeout),
  keepSeconds: Duration.toSeconds(retention)
})))
