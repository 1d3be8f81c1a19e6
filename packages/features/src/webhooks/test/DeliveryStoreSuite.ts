// What every `DeliveryStore` has to do.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Job from "@svc-runtime/engine/jobs/Job"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { newId, newRun, sessionId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer, Option } from "effect"
import { type Addition, type Additions, DeliveryStore, type Repetition } from "../DeliveryStore.ts"
import * as Webhook from "../Webhook.ts"
import * as WebhookDelivery from "../WebhookDelivery.ts"

type Stores = DeliveryStore | JobStore | RunStore | SessionStore

export const attemptJob = (fields: Partial<Job.NewJob> = {}): Job.NewJob => ({
  id: Job.Id.make(newId("job")),
  kind: "webhook-delivery",
  key: null,
  isUnique: false,
  payload: null,
  max_attempts: 5,
  user_id: null,
  session_id: null,
  run_at: undefined,
  ...fields
})

export const addition = (webhook_id: Webhook.Id): Addition => ({
  delivery: WebhookDelivery.make({
    id: WebhookDelivery.Id.make(newId("delivery")),
    webhook_id,
    event_id: newId("event"),
    type: "run.completed",
    at: 1_000,
    data: { text: "a \u0000 text" }
  }, 1_000),
  job: attemptJob()
})

export const additions = (all: ReadonlyArray<Addition>, fields: Partial<Additions> = {}): Additions => ({
  all,
  user_id: null,
  session_id: null,
  lease: undefined,
  queueBytes: 1_000_000,
  ...fields
})

const repetition = (job: Job.NewJob, queueBytes = 1_000_000): Repetition => ({ job, queueBytes })

const page = { page: 1, limit: 100 }
const newWebhookId = () => Webhook.Id.make(newId("webhook"))

const added = Effect.fnUntraced(function*(fields: Partial<Additions> = {}, webhook = newWebhookId()) {
  const store = yield* DeliveryStore
  const one = addition(webhook)
  assert.deepStrictEqual(yield* store.add(additions([one], fields)), ["added"])
  return { store, one, webhook, id: one.delivery.id }
})

export const suite = <E>(name: string, stores: Layer.Layer<Stores, E>) =>
  layer(stores, { excludeTestServices: true })(`DeliveryStore, ${name}`, (it) => {
    it.effect("a delivery is read and listed as it was stored, and one event has one delivery of a webhook", () =>
      Effect.gen(function*() {
        const { id, one, store, webhook } = yield* added()
        assert.deepStrictEqual(yield* store.find(webhook, id), Option.some(one.delivery))
        assert.deepStrictEqual(yield* store.find(newWebhookId(), id), Option.none())
        const { event_id } = one.delivery
        const repeated = addition(webhook)
        const known = { ...repeated, delivery: { ...repeated.delivery, event_id } }
        assert.deepStrictEqual(yield* store.add(additions([known])), ["known"])
        const { one: other } = yield* added({}, webhook)
        const list = (status: WebhookDelivery.Status | undefined) => store.list(webhook, { status }, page)
        assert.deepStrictEqual(yield* list("pending"), { deliveries: [other.delivery, one.delivery], total: 2 })
        assert.deepStrictEqual(yield* list("failed"), { deliveries: [], total: 0 })
        assert.strictEqual((yield* list(undefined)).total, 2)
      }))

    it.effect("what waits for a webhook has no more bytes than the limit, and another webhook has its own", () =>
      Effect.gen(function*() {
        const { store, webhook } = yield* added({ queueBytes: 1024 })
        yield* added({ queueBytes: 1024 }, webhook)
        const all = [addition(webhook), addition(newWebhookId())]
        assert.deepStrictEqual(yield* store.add(additions(all, { queueBytes: 1024 })), ["full", "added"])
        const jobs = yield* JobStore
        const isStored = ({ job }: Addition) => Effect.map(jobs.find(job.id, Owner.anyone), Option.isSome)
        assert.deepStrictEqual(yield* Effect.forEach(all, isStored), [false, true])
      }))

    it.effect("a job that is no longer held stores no delivery", () =>
      Effect.gen(function*() {
        const store = yield* DeliveryStore
        const lease = { id: Job.Id.make(newId("job")), lease: 1 }
        const all = [addition(newWebhookId()), addition(newWebhookId())]
        assert.deepStrictEqual(yield* store.add(additions(all, { lease })), ["lost", "lost"])
        assert.deepStrictEqual(yield* store.add(additions([])), [])
      }))

    it.effect("the record of an attempt enqueues the next one, and that of an older job changes nothing", () =>
      Effect.gen(function*() {
        const jobs = yield* JobStore
        const { id, one, store, webhook } = yield* added()
        assert.isTrue(Option.isSome(yield* jobs.find(one.job.id, Owner.anyone)))
        const next = attemptJob()
        const attempt = {
          job: one.job.id,
          status: "pending",
          status_code: 500,
          error: "It failed",
          attempts: 1,
          at: 2_000,
          next
        } as const
        assert.isTrue(yield* store.record(id, attempt))
        assert.isFalse(yield* store.record(id, attempt))
        assert.isTrue(Option.isSome(yield* jobs.find(next.id, Owner.anyone)))
        const last = { ...attempt, job: next.id, status: "failed", attempts: 2, at: 3_000, next: undefined } as const
        assert.isTrue(yield* store.record(id, last))
        const failed = {
          ...one.delivery,
          status: "failed",
          attempts: 2,
          status_code: 500,
          error: "It failed",
          updated_at: 3_000
        }
        assert.deepEqual(yield* store.find(webhook, id), Option.some(failed as WebhookDelivery.Delivery))
      }))

    it.effect("an ended delivery is made pending again, and one that waits is not", () =>
      Effect.gen(function*() {
        const { id, one, store, webhook } = yield* added()
        const job = attemptJob()
        assert.strictEqual((yield* Effect.flip(store.again(webhook, id, repetition(job))))._tag, "DeliveryPending")
        const ended = {
          job: one.job.id,
          status: "succeeded",
          status_code: 200,
          error: null,
          attempts: 1,
          at: 2_000,
          next: undefined
        } as const
        yield* store.record(id, ended)
        const again = Option.getOrThrow(yield* store.again(webhook, id, repetition(job)))
        assert.deepStrictEqual(again, { ...one.delivery, updated_at: 2_000 })
        assert.deepStrictEqual(yield* store.find(webhook, id), Option.some(again))
        assert.isTrue(Option.isSome(yield* (yield* JobStore).find(job.id, Owner.anyone)))
        assert.isTrue(yield* store.record(id, { ...ended, job: job.id }))
        assert.deepStrictEqual(yield* store.again(newWebhookId(), id, repetition(job)), Option.none())
      }))

    it.effect("an ended delivery is not made pending again while too much waits for its webhook", () =>
      Effect.gen(function*() {
        const { id, one, store, webhook } = yield* added()
        const { job } = one
        const outcome = { status: "failed", status_code: 500, error: "It failed" } as const
        const attempt = { ...outcome, attempts: 1, at: 2_000, next: undefined }
        yield* store.record(id, { ...attempt, job: job.id })
        yield* added({}, webhook)
        const next = attemptJob()
        const error = yield* Effect.flip(store.again(webhook, id, repetition(next, 1023)))
        assert.strictEqual(error._tag, "DeliveryQueueFull")
        assert.strictEqual(Option.getOrThrow(yield* store.find(webhook, id)).status, "failed")
        assert.isTrue(Option.isNone(yield* (yield* JobStore).find(next.id, Owner.anyone)))
        assert.isTrue(Option.isSome(yield* store.again(webhook, id, repetition(next, 1024))))
      }))

    it.effect("a removed session, user or webhook takes its deliveries with it", () =>
      Effect.gen(function*() {
        const [runs, sessions] = [yield* RunStore, yield* SessionStore]
        const [session_id, user_id, webhook] = [sessionId(), userId(), newWebhookId()]
        yield* runs.create(newRun({ session_id }))
        const { store } = yield* added({ session_id }, webhook)
        yield* added({ user_id }, webhook)
        yield* added({}, webhook)
        const count = Effect.map(store.list(webhook, { status: undefined }, page), ({ total }) => total)
        yield* sessions.remove([session_id], Owner.anyone)
        assert.strictEqual(yield* count, 2)
        yield* store.removeOfUser(user_id)
        assert.strictEqual(yield* count, 1)
        yield* store.removeOf(webhook)
        assert.strictEqual(yield* count, 0)
      }))

    it.effect("old ended deliveries are removed, and pending ones fail only when their job is gone", () =>
      Effect.gen(function*() {
        const { id, one, store, webhook } = yield* added()
        const { id: other, one: { job } } = yield* added({}, webhook)
        const ended = {
          job: one.job.id,
          status: "succeeded",
          status_code: 200,
          error: null,
          attempts: 1,
          at: 1_500,
          next: undefined
        } as const
        yield* store.record(id, ended)
        const error = "Its job is gone"
        yield* store.prune({ endedBefore: undefined, pendingBefore: 900, at: 5_000, error })
        assert.isTrue(Option.isSome(yield* store.find(webhook, id)))
        yield* store.prune({ endedBefore: 1_501, pendingBefore: 1_001, at: 5_000, error })
        assert.deepStrictEqual(yield* store.find(webhook, id), Option.none())
        const waiting = Option.getOrThrow(yield* store.find(webhook, other))
        assert.strictEqual(waiting.status, "pending", "its job has waited since the service was stopped")
        yield* (yield* JobStore).cancel(job.id, Owner.anyone)
        yield* store.prune({ endedBefore: undefined, pendingBefore: 1_001, at: 5_000, error })
        assert.deepInclude(Option.getOrThrow(yield* store.find(webhook, other)), {
          status: "failed",
          error,
          updated_at: 5_000
        })
      }))
  })
