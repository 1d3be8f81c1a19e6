// The background job that makes the deliveries of an event: one for each webhook that wants it.
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { bytesOf } from "@svc-runtime/engine/limits/ByteLimits"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import { JobSignal } from "@svc-runtime/engine/signals/JobSignal"
import { Effect } from "effect"
import * as AttemptJob from "./AttemptJob.ts"
import { eventAttempts, eventKind } from "./deliveryConstants.ts"
import { DeliveryStore } from "./DeliveryStore.ts"
import { ServiceWebhooks } from "./ServiceWebhooks.ts"
import * as WebhookDelivery from "./WebhookDelivery.ts"
import { WebhookLimits } from "./WebhookLimits.ts"

export const kind = Effect.gen(function*() {
  const [webhooks, deliveries] = [yield* ServiceWebhooks, yield* DeliveryStore]
  const { payloadBytes, queueBytes } = yield* WebhookLimits
  const [signal, newId] = [yield* JobSignal, yield* NewId]

  const handle = Effect.fnUntraced(function*(event: WebhookDelivery.Event, { job }: JobKind.JobContext) {
    const bytes = bytesOf(JSON.stringify(WebhookDelivery.payloadOf(event)))
    if (bytes > payloadBytes) {
      const message = `The event has ${bytes} bytes, more than ${payloadBytes} (WEBHOOK_PAYLOAD_MAX_BYTES)`
      return yield* new JobKind.JobRejected({ message })
    }
    const wanting = yield* webhooks.matching(event, job.user_id)
    if (wanting.length === 0) return
    const { session_id, user_id } = job
    const at = yield* now
    const all = yield* Effect.forEach(wanting, (webhook_id) => {
      const id = WebhookDelivery.Id.make(newId())
      const delivery = WebhookDelivery.make({ ...event, id, event_id: event.id, webhook_id }, at)
      return Effect.map(AttemptJob.jobOf(delivery, job), (job) => ({ delivery, job }))
    })
    const added = yield* deliveries.add({ all, user_id, session_id, lease: job, queueBytes })
    if (added.includes("added")) signal.notify()
    yield* Effect.forEach(wanting.filter((_, index) => added[index] === "full"), webhooks.dropped, { discard: true })
  })

  return JobKind.make({
    name: eventKind,
    payload: WebhookDelivery.Event,
    concurrency: 4,
    maxAttempts: eventAttempts,
    timeout: "1 minute",
    handle
  })
})
