// The rules of webhooks: whose they are, how many there may be, which addresses they may call, what signs their calls,
// and when a delivery is made again. A webhook of another user is not found.
import { firstFound, whileReplying } from "@svc-runtime/agents/database/firstFound"
import { ServedDatabases } from "@svc-runtime/agents/database/ServedDatabases"
import * as Caller from "@svc-runtime/agents/runService/Caller"
import type { ReservedUserId, UserRequired } from "@svc-runtime/agents/runService/RunServiceErrors"
import type { EndsWithAccount } from "@svc-runtime/auth"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import * as Principal from "@svc-runtime/domain/Principal"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Time from "@svc-runtime/domain/Time"
import * as MergedPage from "@svc-runtime/engine/database/MergedPage"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import * as CallSecret from "@svc-runtime/http/calls/CallSecret"
import { type AddressRejected, CallSender } from "@svc-runtime/http/calls/CallSender"
import { Secrets } from "@svc-runtime/http/calls/Secrets"
import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import * as SecretRows from "../secrets/SecretRows.ts"
import { attemptOf } from "./delivery.ts"
import { type DeliveryPage, type DeliveryPending, DeliveryQueueFull, type DeliveryStore } from "./DeliveryStore.ts"
import * as Webhook from "./Webhook.ts"
import * as WebhookDelivery from "./WebhookDelivery.ts"
import { WebhookLimits } from "./WebhookSettings.ts"
import { type WebhookPage, WebhookStore } from "./WebhookStore.ts"

// The deliveries of webhooks in all databases of a service: each is in the database of its event.

type Store = DeliveryStore["Service"]

class RoutedDeliveries extends Context.Service<RoutedDeliveries, {
  /** In the service's own database. */
  readonly add: Store["add"]
  /** Fails while one of the databases does not reply. */
  readonly list: (
    webhook: Webhook.Id,
    filter: { readonly status: WebhookDelivery.Status | undefined },
    page: Pagination.Request
  ) => Effect.Effect<DeliveryPage, StorageUnavailable>
  readonly find: Store["find"]
  readonly again: Store["again"]
  /** After the webhook is removed. Deliveries in databases that do not reply are removed by their next attempt. */
  readonly removeOf: (webhook: Webhook.Id) => Effect.Effect<void>
  /** After a change of webhooks. Databases that do not reply learn of it within a minute. */
  readonly follow: Effect.Effect<void>
}>()("@svc-runtime/features/webhooks/Webhooks/RoutedDeliveries") {
  static readonly layer: Layer.Layer<RoutedDeliveries, never, ServedDatabases> = Layer.effect(
    RoutedDeliveries,
    Effect.map(ServedDatabases, (databases) => RoutedDeliveries.of(route(databases)))
  )
}

const route = (databases: ServedDatabases["Service"]): RoutedDeliveries["Service"] => {
  const { ids, own } = databases

  const inEach = (ask: (store: Store) => Effect.Effect<void, StorageUnavailable>, isAsked = (_: string) => true) =>
    Effect.forEach(
      databases.opened().filter(({ database: { id } }) => isAsked(id)),
      ({ database }) =>
        ask(database.deliveries).pipe(
          Effect.tapError((error) => Effect.logWarning("The deliveries of webhooks in a database are behind", error)),
          Effect.ignore,
          Effect.annotateLogs({ database: database.id })
        ),
      { concurrency: "unbounded", discard: true }
    )

  return {
    add: (addition) => Effect.tap(own.database.deliveries.add(addition), () => own.jobs.signal),
    list: (webhook, filter, request) =>
      ids.length === 1 ? own.database.deliveries.list(webhook, filter, request) : MergedPage.read(request, {
        count: ids.length,
        createdAt: ({ created_at }: WebhookDelivery.Delivery) => created_at,
        ask: (pages) =>
          Effect.forEach(ids, (id) =>
            whileReplying(databases, id, ({ database }) =>
              Effect.map(
                Effect.forEach(pages(id), (page) => database.deliveries.list(webhook, filter, page)),
                (read) => ({
                  database: id,
                  total: read[0]?.total ?? 0,
                  rows: read.flatMap(({ deliveries }) => deliveries)
                })
              )), { concurrency: "unbounded" })
      }).pipe(Effect.map(({ rows: deliveries, total }) => ({ deliveries, total }))),
    find: (webhook, id) => firstFound(databases, ids, ({ database }) => database.deliveries.find(webhook, id)),
    again: (webhook, id, repetition) =>
      firstFound(
        databases,
        ids,
        ({ database, jobs }) => Effect.tap(database.deliveries.again(webhook, id, repetition), () => jobs.signal)
      ),
    removeOf: (webhook) => inEach((store) => store.removeOf(webhook)),
    follow: Effect.gen(function*() {
      if (databases.opened().length < 2) return
      const wanted = yield* own.database.webhooks.wanted()
      yield* inEach((store) => store.follow(wanted), (id) => id !== own.database.id)
    }).pipe(Effect.ignore)
  }
}

export class WebhookNotFound extends Schema.TaggedError<WebhookNotFound>()("WebhookNotFound", {}) {
  override readonly message = "Webhook not found"
}

export class DeliveryNotFound extends Schema.TaggedError<DeliveryNotFound>()("DeliveryNotFound", {}) {
  override readonly message = "Webhook delivery not found"
}

export class WebhookDisabled extends Schema.TaggedError<WebhookDisabled>()("WebhookDisabled", {}) {
  override readonly message = "The webhook is disabled"
}

export class TooManyWebhooks extends Schema.TaggedError<TooManyWebhooks>()("TooManyWebhooks", {
  message: Schema.String
}) {}

/** No webhook can have these events together with its other fields. */
export class EventsRejected extends Schema.TaggedError<EventsRejected>()("EventsRejected", {
  message: Schema.String
}) {}

/** Seconds for which a replaced secret signs as well. */
export const overlap = 86_400

/** The secret is shown once. */
export interface Created {
  readonly webhook: Webhook.Webhook
  readonly secret: Redacted.Redacted
}

export interface Rotated {
  readonly secret: Redacted.Redacted
  readonly previousUntil: Time.EpochSeconds
}

type Missing = StorageUnavailable | WebhookNotFound

export class Webhooks extends Context.Service<Webhooks, {
  readonly list: (
    caller: Principal.Principal,
    page: Pagination.Request
  ) => Effect.Effect<WebhookPage, StorageUnavailable>
  readonly create: (
    caller: Principal.Principal,
    fields: Webhook.Create
  ) => Effect.Effect<
    Created,
    AddressRejected | EventsRejected | ReservedUserId | StorageUnavailable | TooManyWebhooks | UserRequired
  >
  readonly get: (caller: Principal.Principal, id: Webhook.Id) => Effect.Effect<Webhook.Webhook, Missing>
  readonly update: (
    caller: Principal.Principal,
    id: Webhook.Id,
    patch: Webhook.Patch
  ) => Effect.Effect<Webhook.Webhook, AddressRejected | EventsRejected | Missing>
  /** Why the secrets of webhooks cannot be opened. Those without a problem are not in it. */
  readonly problems: Effect.Effect<ReadonlyMap<string, string>, StorageUnavailable>
  readonly remove: (caller: Principal.Principal, id: Webhook.Id) => Effect.Effect<void, Missing>
  /** After a change that was not made here. */
  readonly follow: Effect.Effect<void>
  readonly rotateSecret: (caller: Principal.Principal, id: Webhook.Id) => Effect.Effect<Rotated, Missing>
  /** Delivers an event that did not happen. */
  readonly test: (
    caller: Principal.Principal,
    id: Webhook.Id
  ) => Effect.Effect<WebhookDelivery.Delivery, DeliveryQueueFull | Missing | WebhookDisabled>
  readonly deliveries: (
    caller: Principal.Principal,
    id: Webhook.Id,
    filter: { readonly status: WebhookDelivery.Status | undefined },
    page: Pagination.Request
  ) => Effect.Effect<DeliveryPage, Missing>
  readonly delivery: (
    caller: Principal.Principal,
    id: Webhook.Id,
    delivery: WebhookDelivery.Id
  ) => Effect.Effect<WebhookDelivery.Delivery, DeliveryNotFound | Missing>
  /** Makes an ended delivery again. */
  readonly redeliver: (
    caller: Principal.Principal,
    id: Webhook.Id,
    delivery: WebhookDelivery.Id
  ) => Effect.Effect<
    WebhookDelivery.Delivery,
    DeliveryNotFound | DeliveryPending | DeliveryQueueFull | Missing | WebhookDisabled
  >
}>()("@svc-runtime/features/webhooks/Webhooks") {}

const orMissing = <A>(found: Option.Option<A>) =>
  Option.match(found, { onNone: () => Effect.fail(new WebhookNotFound()), onSome: Effect.succeed })

const orDeliveryMissing = <A>(found: Option.Option<A>) =>
  Option.match(found, { onNone: () => Effect.fail(new DeliveryNotFound()), onSome: Effect.succeed })

const checkEvents = (webhook: Pick<Webhook.Webhook, "component" | "events" | "user_id">) => {
  const message = Webhook.problemOf(webhook)
  return message === undefined ? Effect.void : Effect.fail(new EventsRejected({ message }))
}

/** The form in which a secret is stored. */
export const sealer = ({ seal }: Secrets["Service"]) => (id: Webhook.Id, secret: Redacted.Redacted) =>
  Effect.map(seal(Webhook.rowOf(id), secret), (text) => Redacted.make(text, { label: "secret" }))

const make = Effect.gen(function*() {
  const [store, sender, deliveries] = [yield* WebhookStore, yield* CallSender, yield* RoutedDeliveries]
  const secrets = yield* Secrets
  const sealed = sealer(secrets)
  const { queueBytes, room } = yield* WebhookLimits

  const tooMany = new TooManyWebhooks({
    message: `There are too many webhooks: at most ${room.all} (MAX_WEBHOOKS), and ${room.ofUser} of a user ` +
      "(MAX_WEBHOOKS_PER_USER)"
  })

  const get = Effect.fnUntraced(function*(caller: Principal.Principal, id: Webhook.Id) {
    return yield* orMissing(yield* store.find(id, Principal.owner(caller)))
  })

  const getEnabled = Effect.fnUntraced(function*(caller: Principal.Principal, id: Webhook.Id) {
    const webhook = yield* get(caller, id)
    return webhook.enabled ? webhook : yield* new WebhookDisabled()
  })

  return Webhooks.of({
    list: (caller, page) => store.list(Principal.owner(caller), page),
    create: Effect.fnUntraced(function*(caller, fields) {
      yield* sender.check(fields.url)
      const user_id = yield* Caller.actorOfNew(caller, fields.user_id)
      const webhook = Webhook.make(fields, { at: yield* now, id: Webhook.Id.make((yield* NewId)()), user_id })
      yield* checkEvents(webhook)
      const secret = yield* CallSecret.generate
      if (!(yield* store.create(webhook, yield* sealed(webhook.id, secret), room))) return yield* tooMany
      yield* deliveries.follow
      return { webhook, secret }
    }),
    get,
    problems: Effect.provideService(SecretRows.problems(store), Secrets, secrets),
    follow: deliveries.follow,
    update: Effect.fnUntraced(function*(caller, id, patch) {
      if (patch.url !== undefined) yield* sender.check(patch.url)
      if (patch.events !== undefined || patch.component !== undefined) {
        yield* checkEvents({ ...(yield* get(caller, id)), ...patch })
      }
      const patched = yield* orMissing(yield* store.patch(id, Principal.owner(caller), patch, yield* now))
      yield* deliveries.follow
      return patched
    }),
    remove: Effect.fnUntraced(function*(caller, id) {
      if (!(yield* store.remove(id, Principal.owner(caller)))) return yield* new WebhookNotFound()
      yield* deliveries.removeOf(id)
      yield* deliveries.follow
    }),
    rotateSecret: Effect.fnUntraced(function*(caller, id) {
      const [at, secret] = [yield* now, yield* CallSecret.generate]
      const previousUntil = at + overlap
      const rotation = { at, secret: yield* sealed(id, secret), previousUntil }
      if (!(yield* store.rotate(id, Principal.owner(caller), rotation))) return yield* new WebhookNotFound()
      return { secret, previousUntil }
    }),
    test: Effect.fnUntraced(function*(caller, webhook_id) {
      const { user_id } = yield* getEnabled(caller, webhook_id)
      const [at, newId] = [yield* now, yield* NewId]
      const id = WebhookDelivery.Id.make(newId())
      const event = { id, event_id: newId(), webhook_id, type: WebhookDelivery.testEvent, at, data: { webhook_id } }
      const delivery = WebhookDelivery.make(event, at)
      const owned = { user_id, session_id: null }
      const all = [{ delivery, job: yield* attemptOf(delivery, owned) }]
      const [added] = yield* deliveries.add({ all, ...owned, lease: undefined, queueBytes })
      return added === "added" ? delivery : yield* new DeliveryQueueFull()
    }),
    deliveries: Effect.fnUntraced(function*(caller, id, filter, page) {
      yield* get(caller, id)
      return yield* deliveries.list(id, filter, page)
    }),
    delivery: Effect.fnUntraced(function*(caller, id, delivery) {
      yield* get(caller, id)
      return yield* orDeliveryMissing(yield* deliveries.find(id, delivery))
    }),
    redeliver: Effect.fnUntraced(function*(caller, webhook_id, id) {
      const { user_id } = yield* getEnabled(caller, webhook_id)
      const job = yield* attemptOf({ id, webhook_id }, { user_id, session_id: null })
      return yield* orDeliveryMissing(yield* deliveries.again(webhook_id, id, { job, queueBytes }))
    })
  })
})

/** An account that was revoked, or an earlier one of its name, may not act by the webhooks that it has made. */
export const endsWithAccount = Effect.gen(function*() {
  const [store, { follow }] = [yield* WebhookStore, yield* Webhooks]
  const end: EndsWithAccount["end"] = ({ user_id, ...because }) =>
    Effect.tap(store.disableAll(user_id, because), (count) => count === 0 ? Effect.void : follow)
  return { what: "webhook(s) disabled", end }
})

/** With the deliveries of all databases. */
export const layer = Layer.effect(Webhooks, make).pipe(Layer.provide(RoutedDeliveries.layer))
