// What every `DeliveryStore` has to do, and what announces events to it.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc/domain/Owner"
import * as Webhook from "@svc/domain/Webhook"
import * as WebhookDelivery from "@svc/domain/WebhookDelivery"
import type { ApprovalStore } from "@svc/runtime/approval/ApprovalStore"
import { EvalRunStore } from "@svc/runtime/evaluation/EvalRunStore"
import * as Job from "@svc/runtime/jobs/Job"
import { JobStore } from "@svc/runtime/jobs/JobStore"
import { RunStore } from "@svc/runtime/run/RunStore"
import { SessionStore } from "@svc/runtime/session/SessionStore"
import { eventKind } from "@svc/runtime/webhook/deliveryConstants"
import { type Addition, DeliveryStore } from "@svc/runtime/webhook/DeliveryStore"
import { WebhookStore } from "@svc/runtime/webhook/WebhookStore"
import { Effect, type Layer, Option } from "effect"
import * as Approvals from "./approvals/Approvals.ts"
import { completed, evalRun, jobOf } from "./evaluations/SampleEvalRuns.ts"
import { beginning, ending, newId, sessionId, userId } from "./Samples.ts"
import { room, secret, webhook } from "./WebhookStoreSuite.ts"

type Stores =
  | ApprovalStore
  | DeliveryStore
  | EvalRunStore
  | JobStore
  | RunStore
  | SessionStore
  | WebhookStore

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

export const addition = (webhook_id: Webhook.Id, fields: Partial<Addition> = {}): Addition => ({
  delivery: WebhookDelivery.make({
    id: WebhookDelivery.Id.make(newId("delivery")),
    webhook_id,
    event_id: newId("event"),
    type: "run.completed",
    at: 1_000,
    data: { text: "a \u0000 text" }
  }, 1_000),
  user_id: null,
  session_id: null,
  job: attemptJob(),
  lease: undefined,
  queueBytes: 1_000_000,
  ...fields
})

const page = { page: 1, limit: 100 }
const newWebhookId = () => Webhook.Id.make(newId("webhook"))

const added = Effect.fnUntraced(function*(fields: Partial<Addition> = {}, webhook = newWebhookId()) {
  const store = yield* DeliveryStore
  const one = addition(webhook, fields)
  assert.strictEqual(yield* store.add(one), "added")
  return { store, one, webhook, id: one.delivery.id }
})

/** The events that were announced of a user. */
const announced = Effect.fnUntraced(function*(user_id: ReturnType<typeof userId>) {
  const store = yield* JobStore
  const { jobs } = yield* store.list({ owner: Owner.user(user_id), kind: eventKind }, page)
  const found = yield* Effect.forEach(jobs, ({ id }) => Effect.map(store.find(id, Owner.anyone), Option.getOrThrow))
  return found.map(({ payload, session_id }) => ({ ...payload as object as WebhookDelivery.Event, session_id }))
    .reverse()
})

const wanting = Effect.fnUntraced(function*(...events: ReadonlyArray<Webhook.EventType>) {
  const store = yield* WebhookStore
  const one = webhook({ events })
  yield* store.create(one, secret, room)
  return { remove: Effect.asVoid(store.remove(one.id, Owner.anyone)) }
})

export const suite = <E>(name: string, stores: Layer.Layer<Stores, E>) =>
  layer(stores, { excludeTestServices: true })(`DeliveryStore, ${name}`, (it) => {
    it.effect("the end and the pause of a run are announced once, with the run, if a webhook wants them", () =>
      Effect.gen(function*() {
        const [runs, user_id] = [yield* RunStore, userId()]
        const unwanted = beginning({ user_id })
        yield* runs.create(unwanted)
        yield* runs.finish(ending(unwanted))
        const wanted = yield* wanting("run.completed", "run.failed", "run.cancelled", "run.paused")
        for (const status of ["COMPLETED", "ERROR", "CANCELLED", "PAUSED"] as const) {
          const begun = beginning({ user_id })
          yield* runs.create(begun)
          const end = ending(begun, { run: { status } })
          assert.isTrue(yield* runs.finish(end))
          // the end is sent twice, because its answer was lost
          assert.isTrue(yield* runs.finish(end))
          const { run_id, session_id } = begun
          const component = { kind: begun.kind, id: begun.component_id }
          const last = (yield* announced(user_id)).at(-1)
          assert.deepInclude(last, { component, session_id })
          assert.deepStrictEqual(last?.data, { run_id, session_id, user_id, component, status })
        }
        yield* wanted.remove
        const types = (yield* announced(user_id)).map(({ type }) => type)
        assert.deepStrictEqual(types, ["run.completed", "run.failed", "run.cancelled", "run.paused"])
      }))

    it.effect("an approval is announced when it is created and when it is resolved", () =>
      Effect.gen(function*() {
        const user_id = userId()
        const wanted = yield* wanting("approval.created", "approval.resolved")
        const one = Approvals.approval({ user_id, agent_id: "assistant", source_type: "agent" })
        yield* Approvals.create(one)
        yield* Approvals.create(one)
        yield* Approvals.resolve(one)
        yield* wanted.remove
        const events = yield* announced(user_id)
        assert.deepStrictEqual(events.map(({ type }) => type), ["approval.created", "approval.resolved"])
        for (const [index, status] of (["pending", "approved"] as const).entries()) {
          const { run_id, session_id, tool_name } = one
          const component = { kind: "agent", id: "assistant" }
          assert.deepInclude(events[index]?.data, {
            approval_id: one.id,
            run_id,
            session_id,
            user_id,
            component,
            status,
            tool_name
          })
        }
      }))

    it.effect("the end of an evaluation is announced", () =>
      Effect.gen(function*() {
        const [evalRuns, jobs] = [yield* EvalRunStore, yield* JobStore]
        const wanted = yield* wanting("evaluation.completed")
        const one = evalRun()
        yield* evalRuns.create(one, jobOf(one), 1_000_000)
        yield* evalRuns.begin(one.id)
        yield* evalRuns.finish(one.id, completed)
        yield* wanted.remove
        const listed = yield* jobs.list({ owner: Owner.anyone, kind: eventKind }, page)
        const found = yield* Effect.forEach(listed.jobs, ({ id }) => jobs.find(id, Owner.anyone))
        const payloads = found.flatMap(Option.toArray).map(({ payload }) => payload as object as WebhookDelivery.Event)
        const ofIt = payloads.filter(({ data }) => data["evaluation_id"] === one.id)
        assert.deepStrictEqual(ofIt.map(({ type }) => type), ["evaluation.completed"])
        assert.deepInclude(ofIt[0]?.data, { status: "COMPLETED", eval_type: one.eval_type, name: one.name })
      }))

    it.effect("what webhooks of another database follow is announced, until they no longer do", () =>
      Effect.gen(function*() {
        const [store, user_id] = [yield* DeliveryStore, userId()]
        const happened = {
          type: "schedule.failed",
          component: null,
          data: { a: 1 },
          user_id,
          session_id: null
        } as const
        yield* store.announce(happened)
        yield* store.follow(["schedule.failed"])
        yield* store.announce(happened)
        yield* store.follow([])
        yield* store.announce(happened)
        assert.deepStrictEqual((yield* announced(user_id)).map(({ data }) => data), [{ a: 1 }])
      }))

    it.effect("a delivery is read and listed as it was stored, and one event has one delivery of a webhook", () =>
      Effect.gen(function*() {
        const { id, one, store, webhook } = yield* added()
        assert.deepStrictEqual(yield* store.find(webhook, id), Option.some(one.delivery))
        assert.deepStrictEqual(yield* store.find(newWebhookId(), id), Option.none())
        const { event_id } = one.delivery
        const repeated = addition(webhook)
        const known = { ...repeated, delivery: { ...repeated.delivery, event_id } }
        assert.strictEqual(yield* store.add(known), "known")
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
        assert.strictEqual(yield* store.add(addition(webhook, { queueBytes: 1024 })), "full")
        assert.strictEqual(yield* store.add(addition(newWebhookId(), { queueBytes: 1024 })), "added")
      }))

    it.effect("a job that is no longer held stores no delivery", () =>
      Effect.gen(function*() {
        const store = yield* DeliveryStore
        const lease = { id: Job.Id.make(newId("job")), lease: 1 }
        assert.strictEqual(yield* store.add(addition(newWebhookId(), { lease })), "lost")
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
          at: 2_000,
          next
        } as const
        assert.isTrue(yield* store.record(id, attempt))
        assert.isFalse(yield* store.record(id, attempt))
        assert.isTrue(Option.isSome(yield* jobs.find(next.id, Owner.anyone)))
        const last = { ...attempt, job: next.id, status: "failed", at: 3_000, next: undefined } as const
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
        assert.strictEqual((yield* Effect.flip(store.again(webhook, id, job)))._tag, "DeliveryPending")
        const ended = {
          job: one.job.id,
          status: "succeeded",
          status_code: 200,
          error: null,
          at: 2_000,
          next: undefined
        } as const
        yield* store.record(id, ended)
        const again = Option.getOrThrow(yield* store.again(webhook, id, job))
        assert.deepStrictEqual(again, { ...one.delivery, updated_at: 2_000 })
        assert.deepStrictEqual(yield* store.find(webhook, id), Option.some(again))
        assert.isTrue(Option.isSome(yield* (yield* JobStore).find(job.id, Owner.anyone)))
        assert.isTrue(yield* store.record(id, { ...ended, job: job.id }))
        assert.deepStrictEqual(yield* store.again(newWebhookId(), id, job), Option.none())
      }))

    it.effect("a removed session, user or webhook takes its deliveries with it", () =>
      Effect.gen(function*() {
        const [runs, sessions] = [yield* RunStore, yield* SessionStore]
        const [session_id, user_id, webhook] = [sessionId(), userId(), newWebhookId()]
        yield* runs.create(beginning({ session_id }))
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

    it.effect("old ended deliveries are removed, and pending ones without an attempt have failed", () =>
      Effect.gen(function*() {
        const { id, one, store, webhook } = yield* added()
        const { id: other } = yield* added({}, webhook)
        const ended = {
          job: one.job.id,
          status: "succeeded",
          status_code: 200,
          error: null,
          at: 1_500,
          next: undefined
        } as const
        yield* store.record(id, ended)
        const error = "Its job is gone"
        yield* store.prune({ endedBefore: undefined, pendingBefore: 900, at: 5_000, error })
        assert.isTrue(Option.isSome(yield* store.find(webhook, id)))
        yield* store.prune({ endedBefore: 1_501, pendingBefore: 1_001, at: 5_000, error })
        assert.deepStrictEqual(yield* store.find(webhook, id), Option.none())
        assert.deepInclude(Option.getOrThrow(yield* store.find(webhook, other)), {
          status: "failed",
          error,
          updated_at: 5_000
        })
      }))
  })
