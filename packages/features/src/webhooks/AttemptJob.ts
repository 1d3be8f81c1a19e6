// The background job that calls a webhook once about an event. A failure is stored together with the next job.
//
// A webhook has few lanes, and each lane has one call at a time: a slow receiver delays its own deliveries only.
import * as Job from "@svc-runtime/engine/jobs/Job"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import { JobSignal } from "@svc-runtime/engine/signals/JobSignal"
import { type CallOutcome, CallSender } from "@svc-runtime/http/calls/CallSender"
import { Effect, Option, Schema } from "effect"
import { type Attempt, DeliveryStore } from "./DeliveryStore.ts"
import { ServiceWebhooks } from "./ServiceWebhooks.ts"
import * as Webhook from "./Webhook.ts"
import * as WebhookDelivery from "./WebhookDelivery.ts"
import { WebhookLimits } from "./WebhookLimits.ts"

const name = "webhook-delivery"

/** Calls of one webhook at a time. */
const lanes = 2

/** Attempts of one job. Nodes that stop and outages of the database use them up, and failed calls do not. */
const maxAttempts = 1000

const maxDelay = 3600

/** The status with which a receiver says that its address is no longer used. */
const gone = 410

const Payload = Schema.Struct({ webhook_id: Webhook.Id, delivery_id: WebhookDelivery.Id })

type Owned = Pick<Job.NewJob, "session_id" | "user_id">

const laneOf = (id: string): number => [...id].reduce((sum, character) => sum + character.charCodeAt(0), 0) % lanes

/** The job of the next attempt. `owned`: it is removed with the session, as the delivery is. */
export const jobOf = Effect.fnUntraced(function*(
  { id: delivery_id, webhook_id }: Pick<WebhookDelivery.Delivery, "id" | "webhook_id">,
  { session_id, user_id }: Owned,
  run_at?: number
) {
  const job: Job.NewJob = {
    id: Job.Id.make((yield* NewId)()),
    kind: name,
    key: `${webhook_id}/${laneOf(delivery_id)}`,
    isUnique: false,
    payload: { webhook_id, delivery_id },
    max_attempts: maxAttempts,
    user_id,
    session_id,
    run_at
  }
  return job
})

const disabled: CallOutcome = { isSuccess: false, status_code: null, error: "The webhook is disabled", retryAfter: 0 }

export const kind = Effect.gen(function*() {
  const [webhooks, deliveries, sender] = [yield* ServiceWebhooks, yield* DeliveryStore, yield* CallSender]
  const { attempts, disableAfter, retrySeconds, room, timeoutSeconds } = yield* WebhookLimits
  const signal = yield* JobSignal

  const call = Effect.fnUntraced(function*({ event_id, payload, webhook_id }: WebhookDelivery.Delivery) {
    const target = yield* webhooks.target(webhook_id, yield* now)
    if (Option.isNone(target)) return undefined
    const { enabled, secrets, url } = target.value
    if (!enabled) return disabled
    const body = JSON.stringify(payload)
    return yield* sender.send({ url, id: event_id, at: yield* now, body, secrets, timeoutSeconds })
  })

  const failed = Effect.fnUntraced(function*(id: Webhook.Id, { error, status_code }: CallOutcome) {
    const reason = status_code === gone
      ? `The receiver responded with ${gone}`
      : `${disableAfter} deliveries in a row failed. The last one: ${error}`
    const limit = status_code === gone ? 1 : disableAfter
    if (!(yield* webhooks.failed(id, { at: yield* now, limit, reason }))) return
    yield* Effect.annotateLogs(Effect.logWarning("A webhook is disabled, because its deliveries fail"), {
      webhook_id: id
    })
  })

  const handle = Effect.fnUntraced(function*(
    { delivery_id, webhook_id }: typeof Payload.Type,
    { guard, job }: JobKind.JobContext
  ) {
    const found = yield* deliveries.find(webhook_id, delivery_id)
    if (Option.isNone(found) || found.value.status !== "pending") return
    const delivery = found.value
    const outcome = yield* guard(call(delivery))
    if (outcome === undefined) return yield* deliveries.removeOf(webhook_id)
    const { error, isSuccess, retryAfter, status_code } = outcome
    const made = delivery.attempts + 1
    const isLast = made >= attempts || outcome === disabled || status_code === gone
    const delay = Math.max(retrySeconds * 2 ** (made - 1), retryAfter)
    const at = yield* now
    const next = isSuccess || isLast
      ? undefined
      : yield* jobOf(delivery, job, at + Math.ceil(Math.min(maxDelay, delay)))
    const attempt: Attempt = {
      job: job.id,
      status: isSuccess ? "succeeded" : isLast ? "failed" : "pending",
      status_code,
      error,
      at,
      next
    }
    if (!(yield* deliveries.record(delivery_id, attempt))) return
    if (isSuccess) yield* webhooks.succeeded(webhook_id)
    else if (isLast && outcome !== disabled) yield* failed(webhook_id, outcome)
    if (next !== undefined) signal.notify()
  })

  return JobKind.make({
    name,
    payload: Payload,
    // enough for all lanes of all webhooks
    concurrency: lanes * room.all,
    maxAttempts,
    timeout: `${timeoutSeconds + 60} seconds`,
    handle
  })
})
