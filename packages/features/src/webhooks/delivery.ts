// How an event reaches its webhooks, in the order in which it happens: a signal, a job of the event, a job of each
// attempt, and upkeep.
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import * as Job from "@svc-runtime/engine/jobs/Job"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { bytesOf } from "@svc-runtime/engine/limits/ByteLimits"
import { NewId } from "@svc-runtime/engine/NewId"
import * as BackgroundLoops from "@svc-runtime/engine/node/BackgroundLoops"
import { now } from "@svc-runtime/engine/now"
import { JobSignal, RunEndSignal } from "@svc-runtime/engine/signals/Signals"
import { type CallOutcome, CallSender } from "@svc-runtime/http/calls/CallSender"
import { Secrets } from "@svc-runtime/http/calls/Secrets"
import { Clock, Effect, Latch, Layer, Option, Redacted, Result, Schema } from "effect"
import * as SecretRows from "../secrets/SecretRows.ts"
import { type Attempt, DeliveryStore, eventAttempts, eventKind, prunedAtOnce } from "./DeliveryStore.ts"
import * as Webhook from "./Webhook.ts"
import * as WebhookDelivery from "./WebhookDelivery.ts"
import { WebhookLimits } from "./WebhookSettings.ts"
import { ServiceWebhooks, type Target } from "./WebhookStore.ts"

/** Milliseconds between two reads: while no event is wanted, and while one is. */
const [whileUnwanted, whileWanted] = [5000, 60_000]

const signals = Effect.gen(function*() {
  const [webhooks, ends, jobs] = [yield* ServiceWebhooks, yield* RunEndSignal, yield* JobSignal]
  const clock = yield* Clock.Clock
  const millis = () => Monotonic.millisOf(clock)
  const hasEnded = Latch.makeUnsafe(false)
  let isWanted = false
  let readAt = millis()

  const signalIfWanted = Effect.gen(function*() {
    hasEnded.closeUnsafe()
    const time = millis()
    if (time >= readAt) {
      isWanted = (yield* webhooks.wanted()).length > 0
      readAt = time + (isWanted ? whileWanted : whileUnwanted)
    }
    if (isWanted) jobs.notify()
  })

  ends.follow(() => hasEnded.openUnsafe())
  yield* BackgroundLoops.fork({}, { webhookEvents: { when: hasEnded.await, task: signalIfWanted, every: "10 millis" } })
})

/**
 * Signals the worker of jobs after the end of a run that webhooks want: the database announces it, so this process has
 * stored no job itself. A node reads what webhooks want when runs end, and not more often than it can have changed.
 */
export const eventSignal: Layer.Layer<never, never, JobSignal | RunEndSignal | ServiceWebhooks> = Layer.effectDiscard(
  signals
)

const attemptKind = "webhook-delivery"

/** Calls of one webhook at a time. */
const lanes = 2

/** Attempts of one job. Nodes that stop and outages of the database use them up, and failed calls do not. */
const maxAttempts = 1000

const maxDelay = 3600

/** Seconds until a delivery is tried again that cannot be signed. */
const unsignedDelay = 300

/** The status with which a receiver says that its address is no longer used. */
const gone = 410

const Payload = Schema.Struct({ webhook_id: Webhook.Id, delivery_id: WebhookDelivery.Id })

type Owned = Pick<Job.NewJob, "session_id" | "user_id">

const laneOf = (id: string): number => [...id].reduce((sum, character) => sum + character.charCodeAt(0), 0) % lanes

/** The job of the next attempt. `owned`: it is removed with the session, as the delivery is. */
export const attemptOf = Effect.fnUntraced(function*(
  { id: delivery_id, webhook_id }: Pick<WebhookDelivery.Delivery, "id" | "webhook_id">,
  { session_id, user_id }: Owned,
  run_at?: number
) {
  const job: Job.NewJob = {
    id: Job.Id.make((yield* NewId)()),
    kind: attemptKind,
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

/** Makes the deliveries of an event: one for each webhook that wants it. */
export const eventJob = Effect.gen(function*() {
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
      return Effect.map(attemptOf(delivery, job), (job) => ({ delivery, job }))
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

interface Outcome extends CallOutcome {
  /** The secret cannot be opened. No call was made, and the delivery waits for a key, or for another secret. */
  readonly isUnsigned?: boolean
}

const disabled: Outcome = { isSuccess: false, status_code: null, error: "The webhook is disabled", retryAfter: 0 }

/**
 * Calls a webhook once about an event. A failure is stored together with the next job.
 *
 * A webhook has few lanes, and each lane has one call at a time: a slow receiver delays its own deliveries only.
 */
export const attemptJob = Effect.gen(function*() {
  const [webhooks, deliveries, sender] = [yield* ServiceWebhooks, yield* DeliveryStore, yield* CallSender]
  const { attempts, disableAfter, retrySeconds, room } = yield* WebhookLimits
  const [signal, { open }] = [yield* JobSignal, yield* Secrets]

  /** Calls are signed without a replaced secret that cannot be opened. */
  const opened = Effect.fnUntraced(function*(id: Webhook.Id, [current, previous]: Target["secrets"]) {
    const openOne = (stored: Redacted.Redacted) => open(Webhook.rowOf(id), Redacted.value(stored))
    const before = previous === undefined ? Option.none() : yield* Effect.option(openOne(previous))
    return [yield* openOne(current), ...Option.toArray(before)]
  })

  const call = Effect.fnUntraced(function*({ event_id, payload, webhook_id }: WebhookDelivery.Delivery) {
    const target = yield* webhooks.target(webhook_id, yield* now)
    if (Option.isNone(target)) return undefined
    const { enabled, secrets, url } = target.value
    if (!enabled) return disabled
    const signing = yield* Effect.result(opened(webhook_id, secrets))
    if (Result.isFailure(signing)) {
      const { message: error } = signing.failure
      return { isSuccess: false, status_code: null, error, retryAfter: unsignedDelay, isUnsigned: true }
    }
    const body = JSON.stringify(payload)
    const outcome: Outcome = yield* sender.send({ url, id: event_id, at: yield* now, body, secrets: signing.success })
    return outcome
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
    const { error, isSuccess, isUnsigned = false, retryAfter, status_code } = outcome
    const made = delivery.attempts + (isUnsigned ? 0 : 1)
    const isLast = !isUnsigned && (made >= attempts || outcome === disabled || status_code === gone)
    const delay = isUnsigned ? retryAfter : Math.max(retrySeconds * 2 ** (made - 1), retryAfter)
    const at = yield* now
    const next = isSuccess || isLast
      ? undefined
      : yield* attemptOf(delivery, job, at + Math.ceil(Math.min(maxDelay, delay)))
    const attempt: Attempt = {
      job: job.id,
      status: isSuccess ? "succeeded" : isLast ? "failed" : "pending",
      status_code,
      error,
      attempts: made,
      at,
      next
    }
    if (!(yield* deliveries.record(delivery_id, attempt))) return
    if (isSuccess) yield* webhooks.succeeded(webhook_id)
    else if (isLast && outcome !== disabled) yield* failed(webhook_id, outcome)
    if (next !== undefined) signal.notify()
  })

  return JobKind.make({
    name: attemptKind,
    payload: Payload,
    // enough for all lanes of all webhooks
    concurrency: lanes * room.all,
    maxAttempts,
    timeout: `${sender.timeoutSeconds + 60} seconds`,
    handle
  })
})

/** Seconds without an attempt after which a pending delivery is checked. Attempts are an hour apart at most. */
const gracePeriod = 6 * 3600

const lostAttempt = "No attempt was made for six hours, and its job is gone. The log of the service says why"

/**
 * Removes old deliveries, ends deliveries without a job, and notes in a database beside the service's own which events
 * webhooks want of it. One repeating job of each database. `isOwn`: the database has the webhooks too, and reads the
 * wanted events from them. There the secrets of webhooks are sealed with the newest key.
 */
export const upkeepJob = Effect.fnUntraced(function*(isOwn: boolean) {
  const [webhooks, deliveries] = [yield* ServiceWebhooks, yield* DeliveryStore]
  const { keepSeconds } = yield* WebhookLimits
  const reseal = Effect.provideService(SecretRows.reseal(webhooks), Secrets, yield* Secrets)

  const prune = Effect.gen(function*() {
    const at = yield* now
    const endedBefore = keepSeconds === 0 ? undefined : at - keepSeconds
    for (;;) {
      if (
        (yield* deliveries.prune({ endedBefore, pendingBefore: at - gracePeriod, error: lostAttempt, at })) <
          prunedAtOnce
      ) break
    }
  })

  return JobKind.repeating({
    name: "webhook-upkeep",
    every: "1 minute",
    handle: Effect.fnUntraced(function*() {
      if (isOwn) yield* reseal
      else yield* deliveries.follow(yield* webhooks.wanted())
      yield* prune
    })
  })
})
