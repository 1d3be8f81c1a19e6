// `DeliveryStore` in memory.
import * as Pagination from "@svc-runtime/domain/Pagination"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Job from "@svc-runtime/engine/jobs/Job"
import { bytesOf } from "@svc-runtime/engine/limits/ByteLimits"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import {
  type Added,
  type Announcement,
  DeliveryPending,
  DeliveryQueueFull,
  type DeliveryStore,
  eventAttempts,
  eventKind,
  minBytes,
  prunedAtOnce
} from "@svc-runtime/features/webhooks/DeliveryStore"
import type * as Webhook from "@svc-runtime/features/webhooks/Webhook"
import type * as WebhookDelivery from "@svc-runtime/features/webhooks/WebhookDelivery"
import { Effect, Option } from "effect"
import * as MemoryAnnouncements from "./MemoryAnnouncements.ts"
import { type MemoryDatabase, newestFirst } from "./MemoryDatabase.ts"
import * as MemoryJobs from "./MemoryJobs.ts"
import type { StoredDelivery } from "./StoredWebhooks.ts"

const bytesIn = ({ delivery }: StoredDelivery): number => Math.max(minBytes, bytesOf(JSON.stringify(delivery.payload)))

export const make = Effect.fnUntraced(function*(database: MemoryDatabase["Service"]) {
  const { deliveries: all, followedEvents, jobs, next, webhooks } = database
  const jobStore = MemoryJobs.make(database)

  const isWanted = (type: Webhook.EventType) =>
    followedEvents.has(type) ||
    [...webhooks.values()].some(({ webhook }) => webhook.enabled && webhook.events.includes(type))

  const announce = Effect.fnUntraced(function*({ session_id, user_id, ...happened }: Announcement) {
    if (!isWanted(happened.type)) return
    const id = (yield* NewId)()
    const places = [...webhooks.values()].map(({ sequence }) => sequence)
    const last_webhook = places.length === 0 ? null : Math.max(...places)
    const event: WebhookDelivery.Event = { id, at: yield* now, ...happened, last_webhook }
    yield* jobStore.enqueue({
      id: Job.Id.make(id),
      kind: eventKind,
      key: null,
      isUnique: false,
      payload: { ...event },
      max_attempts: eventAttempts,
      user_id,
      session_id,
      run_at: undefined
    })
  })

  const remove = (isRemoved: (stored: StoredDelivery) => boolean) =>
    Effect.sync(() => {
      for (const [id, stored] of all) if (isRemoved(stored)) all.delete(id)
    })

  const found = (webhook: Webhook.Id, id: WebhookDelivery.Id) => {
    const stored = all.get(id)
    return stored?.delivery.webhook_id === webhook ? stored : undefined
  }

  const waitingBytes = (webhook: Webhook.Id): number =>
    [...all.values()].reduce((sum, stored) => {
      const isWaiting = stored.delivery.webhook_id === webhook && stored.delivery.status === "pending"
      return isWaiting ? sum + bytesIn(stored) : sum
    }, 0)

  const change = (stored: StoredDelivery, fields: Partial<WebhookDelivery.Delivery>, job = stored.job) => {
    const delivery = { ...stored.delivery, ...fields }
    all.set(delivery.id, { ...stored, delivery, job })
    return delivery
  }

  yield* MemoryAnnouncements.watch(database, (announcement) => Effect.ignore(announce(announcement)))

  const store: DeliveryStore["Service"] = {
    announce,
    follow: (events) =>
      Effect.sync(() => {
        followedEvents.clear()
        for (const event of events) followedEvents.add(event)
      }),
    add: ({ all: additions, lease, queueBytes, session_id, user_id }) =>
      Effect.suspend(() => {
        const held = lease === undefined ? undefined : jobs.get(lease.id)
        const isLost = lease !== undefined && (held?.lease !== lease.lease || held.job.status !== "RUNNING")
        return Effect.forEach(additions, ({ delivery, job }): Effect.Effect<Added, StorageUnavailable> => {
          if (isLost) return Effect.succeed("lost")
          const { event_id, webhook_id } = delivery
          const ofWebhook = [...all.values()].filter((each) => each.delivery.webhook_id === webhook_id)
          if (ofWebhook.some((each) => each.delivery.event_id === event_id)) return Effect.succeed("known")
          const stored = { sequence: next(), delivery, user_id, session_id, job: job.id }
          if (waitingBytes(webhook_id) + bytesIn(stored) > queueBytes) return Effect.succeed("full")
          all.set(delivery.id, stored)
          return Effect.as(jobStore.enqueue(job), "added")
        })
      }),
    list: (webhook, { status }, page) =>
      Effect.sync(() => {
        const listed = newestFirst(all.values()).filter(({ delivery }) =>
          delivery.webhook_id === webhook && (status === undefined || delivery.status === status)
        )
        return { deliveries: Pagination.slice(page, listed).map(({ delivery }) => delivery), total: listed.length }
      }),
    find: (webhook, id) => Effect.sync(() => Option.fromUndefinedOr(found(webhook, id)?.delivery)),
    record: (id, { at, attempts, error, job, next, status, status_code }) =>
      Effect.suspend(() => {
        const stored = all.get(id)
        if (stored === undefined || stored.job !== job || stored.delivery.status !== "pending") {
          return Effect.succeed(false)
        }
        change(stored, { status, status_code, error, attempts, updated_at: at }, next?.id)
        return next === undefined ? Effect.succeed(true) : Effect.as(jobStore.enqueue(next), true)
      }),
    again: (webhook, id, { job, queueBytes }) =>
      Effect.gen(function*() {
        const stored = found(webhook, id)
        if (stored === undefined) return Option.none()
        if (stored.delivery.status === "pending") return yield* new DeliveryPending()
        if (waitingBytes(webhook) + bytesIn(stored) > queueBytes) return yield* new DeliveryQueueFull()
        const delivery = change(stored, { status: "pending", attempts: 0, error: null, status_code: null }, job.id)
        yield* jobStore.enqueue(job)
        return Option.some(delivery)
      }),
    removeOf: (webhook) => remove(({ delivery }) => delivery.webhook_id === webhook),
    removeOfUser: (user_id) => remove((stored) => stored.user_id === user_id),
    prune: ({ at, endedBefore = 0, error, pendingBefore }) =>
      Effect.sync(() => {
        const since = ({ delivery: { created_at, updated_at } }: StoredDelivery) => updated_at ?? created_at
        const isPending = ({ delivery: { status } }: StoredDelivery) => status === "pending"
        const isOrphaned = ({ job }: StoredDelivery) => Job.isEnded(jobs.get(job)?.job.status ?? "FAILED")
        const silent = [...all.values()].filter((stored) =>
          isPending(stored) && since(stored) < pendingBefore && isOrphaned(stored)
        )
        const old = [...all.values()].filter((stored) => !isPending(stored) && since(stored) < endedBefore)
        const [failed, removed] = [silent.slice(0, prunedAtOnce), old.slice(0, prunedAtOnce)]
        for (const stored of failed) change(stored, { status: "failed", error, updated_at: at })
        for (const { delivery } of removed) all.delete(delivery.id)
        return failed.length + removed.length
      })
  }
  return store
})
