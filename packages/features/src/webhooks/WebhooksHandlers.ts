// Webhooks. One of another user is not found. Only the responses that make or replace a secret have it.
import { Errors } from "@svc-runtime/api"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import * as CallSecret from "@svc-runtime/http/calls/CallSecret"
import { type AddressRejected, CallSender } from "@svc-runtime/http/calls/CallSender"
import { group } from "@svc-runtime/http/group"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option, Redacted } from "effect"
import * as AttemptJob from "./AttemptJob.ts"
import { DeliveryQueueFull } from "./DeliveryQueueFull.ts"
import { RoutedDeliveries } from "./RoutedDeliveries.ts"
import * as Webhook from "./Webhook.ts"
import * as WebhookDelivery from "./WebhookDelivery.ts"
import { WebhookLimits } from "./WebhookLimits.ts"
import { Webhooks as Endpoints } from "./WebhooksApi.ts"
import { WebhookStore } from "./WebhookStore.ts"

const notFound = Errors.notFound("Webhook not found")

const orNotFound = <A>(found: Option.Option<A>) =>
  Option.match(found, { onNone: () => Effect.fail(notFound), onSome: Effect.succeed })

const orDeliveryNotFound = <A>(found: Option.Option<A>) =>
  Option.match(found, {
    onNone: () => Effect.fail(Errors.notFound("Webhook delivery not found")),
    onSome: Effect.succeed
  })

const full = Errors.conflict(new DeliveryQueueFull().message)

const refused = ({ message }: AddressRejected) => Errors.invalidValue(["body", "url"], message)

/** Seconds for which a replaced secret signs as well. */
const overlap = 86_400

export const Webhooks = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const store = yield* WebhookStore
    const sender = yield* CallSender
    const { queueBytes, room } = yield* WebhookLimits
    const deliveries = yield* RoutedDeliveries

    const check = (url: string) => Effect.mapError(sender.check(url), refused)

    const tooMany = Errors.conflict(
      `There are too many webhooks: at most ${room.all} (MAX_WEBHOOKS), and ${room.ofUser} of a user ` +
        "(MAX_WEBHOOKS_PER_USER)"
    )

    const checkEvents = (webhook: Pick<Webhook.Webhook, "component" | "events" | "user_id">) => {
      const problem = Webhook.problemOf(webhook)
      return problem === undefined ? Effect.void : Effect.fail(Errors.invalidValue(["body", "events"], problem))
    }

    const found = Effect.fnUntraced(function*(id: Webhook.Id) {
      return yield* orNotFound(yield* store.find(id, yield* RequestCaller.ownerOf(undefined)))
    })

    const foundEnabled = Effect.fnUntraced(function*(id: Webhook.Id) {
      const webhook = yield* found(id)
      return webhook.enabled ? webhook : yield* Errors.conflict("The webhook is disabled")
    })

    return handlers.handleAll({
      list: Effect.fn("Webhooks.list")(function*({ query }) {
        const { total, webhooks } = yield* store.list(yield* RequestCaller.ownerOf(undefined), query)
        return JsonResponse.of(Pagination.response(query, webhooks, total))
      }, orUnavailable),
      create: Effect.fn("Webhooks.create")(function*({ payload }) {
        yield* check(payload.url)
        const user_id = (yield* RequestCaller.ownerOfNew(payload.user_id)) ?? null
        const webhook = Webhook.make(payload, { at: yield* now, id: Webhook.Id.make((yield* NewId)()), user_id })
        yield* checkEvents(webhook)
        const secret = yield* CallSecret.generate
        if (!(yield* store.create(webhook, secret, room))) return yield* tooMany
        yield* deliveries.follow
        return { ...webhook, secret: Redacted.value(secret) }
      }, orUnavailable),
      get: Effect.fn("Webhooks.get")(({ params }) => found(params.webhook_id), orUnavailable),
      update: Effect.fn("Webhooks.update")(function*({ params, payload }) {
        const owner = yield* RequestCaller.ownerOf(undefined)
        if (payload.url !== undefined) yield* check(payload.url)
        if (payload.events !== undefined || payload.component !== undefined) {
          yield* checkEvents({ ...(yield* found(params.webhook_id)), ...payload })
        }
        const patched = yield* orNotFound(yield* store.patch(params.webhook_id, owner, payload, yield* now))
        yield* deliveries.follow
        return patched
      }, orUnavailable),
      remove: Effect.fn("Webhooks.remove")(function*({ params }) {
        if (!(yield* store.remove(params.webhook_id, yield* RequestCaller.ownerOf(undefined)))) return yield* notFound
        yield* deliveries.removeOf(params.webhook_id)
        yield* deliveries.follow
      }, orUnavailable),
      rotateSecret: Effect.fn("Webhooks.rotateSecret")(function*({ params }) {
        const [at, secret] = [yield* now, yield* CallSecret.generate]
        const rotation = { at, secret, previousUntil: at + overlap }
        const owner = yield* RequestCaller.ownerOf(undefined)
        if (!(yield* store.rotate(params.webhook_id, owner, rotation))) return yield* notFound
        return { id: params.webhook_id, secret: Redacted.value(secret), previous_until: rotation.previousUntil }
      }, orUnavailable),
      test: Effect.fn("Webhooks.test")(function*({ params }) {
        const { id: webhook_id, user_id } = yield* foundEnabled(params.webhook_id)
        const [at, newId] = [yield* now, yield* NewId]
        const id = WebhookDelivery.Id.make(newId())
        const event = { id, event_id: newId(), webhook_id, type: WebhookDelivery.testEvent, at, data: { webhook_id } }
        const delivery = WebhookDelivery.make(event, at)
        const owned = { user_id, session_id: null }
        const all = [{ delivery, job: yield* AttemptJob.jobOf(delivery, owned) }]
        const [added] = yield* deliveries.add({ all, ...owned, lease: undefined, queueBytes })
        if (added !== "added") return yield* full
        return delivery
      }, orUnavailable),
      listDeliveries: Effect.fn("Webhooks.listDeliveries")(function*({ params, query }) {
        const { id } = yield* found(params.webhook_id)
        const listed = yield* deliveries.list(id, { status: query.status }, query)
        return JsonResponse.of(Pagination.response(query, listed.deliveries, listed.total))
      }, orUnavailable),
      getDelivery: Effect.fn("Webhooks.getDelivery")(function*({ params }) {
        const { id } = yield* found(params.webhook_id)
        return yield* orDeliveryNotFound(yield* deliveries.find(id, params.delivery_id))
      }, orUnavailable),
      redeliver: Effect.fn("Webhooks.redeliver")(
        function*({ params }) {
          const { id: webhook_id, user_id } = yield* foundEnabled(params.webhook_id)
          const key = { id: params.delivery_id, webhook_id }
          const job = yield* AttemptJob.jobOf(key, { user_id, session_id: null })
          const again = yield* deliveries.again(webhook_id, params.delivery_id, { job, queueBytes })
          return yield* orDeliveryNotFound(again)
        },
        Effect.catchTag(
          ["DeliveryPending", "DeliveryQueueFull"],
          ({ message }) => Effect.fail(Errors.conflict(message))
        ),
        orUnavailable
      )
    })
  })
)
