// The endpoints of webhooks. Only the responses that make or replace a secret have it.
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { group } from "@svc-runtime/http/group"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Redacted } from "effect"
import * as Declared from "../declarations/Declared.ts"
import * as Webhook from "./Webhook.ts"
import { Webhooks } from "./Webhooks.ts"
import { Webhooks as Endpoints } from "./WebhooksApi.ts"

interface Failure {
  readonly message: string
}

const conflict = ({ message }: Failure) => Effect.fail(Errors.conflict(message))

const notFound = ({ message }: Failure) => Effect.fail(Errors.notFound(message))

const forbidden = ({ message }: Failure) => Effect.fail(Errors.forbidden(message))

const missing = { WebhookNotFound: notFound }

const missingDelivery = { ...missing, DeliveryNotFound: notFound }

const refused = {
  AddressRejected: ({ message }: Failure) => Effect.fail(Errors.invalidValue(["body", "url"], message)),
  EventsRejected: ({ message }: Failure) => Effect.fail(Errors.invalidValue(["body", "events"], message))
}

export const handlers = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const webhooks = yield* Webhooks
    const declared = yield* Declared.of("webhook", "webhook")

    const shown = Effect.fnUntraced(function*(found: ReadonlyArray<Webhook.Webhook>) {
      if (found.length === 0) return []
      const problems = yield* webhooks.problems
      const marked = yield* declared.markedAll(found)
      return marked.map((each) => ({ ...each, secret_problem: problems.get(Webhook.rowOf(each.id)) ?? null }))
    })

    const shownOne = (webhook: Webhook.Webhook) =>
      Effect.map(Effect.all([declared.marked(webhook), webhooks.problems]), ([marked, problems]) => ({
        ...marked,
        secret_problem: problems.get(Webhook.rowOf(webhook.id)) ?? null
      }))

    /** One of another user is not found. */
    const changeable = Effect.fnUntraced(function*(id: Webhook.Id) {
      yield* webhooks.get(yield* CurrentPrincipal, id)
      yield* declared.refuse(id)
    })

    return handlers.handleAll({
      list: Effect.fn("Webhooks.list")(function*({ query }) {
        const listed = yield* webhooks.list(yield* CurrentPrincipal, query)
        return JsonResponse.of(Pagination.response(query, yield* shown(listed.webhooks), listed.total))
      }, orUnavailable),
      create: Effect.fn("Webhooks.create")(
        function*({ payload }) {
          const { secret, webhook } = yield* webhooks.create(yield* CurrentPrincipal, payload)
          return { ...webhook, declared: false, secret_problem: null, secret: Redacted.value(secret) }
        },
        Effect.catchTags({
          ...refused,
          ReservedUserId: forbidden,
          TooManyWebhooks: conflict,
          UserRequired: forbidden
        }),
        orUnavailable
      ),
      get: Effect.fn("Webhooks.get")(
        function*({ params }) {
          return yield* shownOne(yield* webhooks.get(yield* CurrentPrincipal, params.webhook_id))
        },
        Effect.catchTags(missing),
        orUnavailable
      ),
      update: Effect.fn("Webhooks.update")(
        function*({ params, payload }) {
          const { enabled: _, ...others } = payload
          if (Object.keys(others).length > 0) yield* changeable(params.webhook_id)
          return yield* shownOne(
            yield* webhooks.update(yield* CurrentPrincipal, params.webhook_id, payload)
          )
        },
        Effect.catchTags({ ...refused, ...missing }),
        orUnavailable
      ),
      remove: Effect.fn("Webhooks.remove")(
        function*({ params }) {
          yield* changeable(params.webhook_id)
          yield* webhooks.remove(yield* CurrentPrincipal, params.webhook_id)
        },
        Effect.catchTags(missing),
        orUnavailable
      ),
      rotateSecret: Effect.fn("Webhooks.rotateSecret")(
        function*({ params }) {
          yield* changeable(params.webhook_id)
          const { previousUntil, secret } = yield* webhooks.rotateSecret(yield* CurrentPrincipal, params.webhook_id)
          return { id: params.webhook_id, secret: Redacted.value(secret), previous_until: previousUntil }
        },
        Effect.catchTags(missing),
        orUnavailable
      ),
      test: Effect.fn("Webhooks.test")(
        function*({ params }) {
          return yield* webhooks.test(yield* CurrentPrincipal, params.webhook_id)
        },
        Effect.catchTags({ ...missing, DeliveryQueueFull: conflict, WebhookDisabled: conflict }),
        orUnavailable
      ),
      listDeliveries: Effect.fn("Webhooks.listDeliveries")(
        function*({ params, query }) {
          const { status } = query
          const listed = yield* webhooks.deliveries(yield* CurrentPrincipal, params.webhook_id, { status }, query)
          return JsonResponse.of(Pagination.response(query, listed.deliveries, listed.total))
        },
        Effect.catchTags(missing),
        orUnavailable
      ),
      getDelivery: Effect.fn("Webhooks.getDelivery")(
        function*({ params }) {
          return yield* webhooks.delivery(yield* CurrentPrincipal, params.webhook_id, params.delivery_id)
        },
        Effect.catchTags(missingDelivery),
        orUnavailable
      ),
      redeliver: Effect.fn("Webhooks.redeliver")(
        function*({ params }) {
          return yield* webhooks.redeliver(yield* CurrentPrincipal, params.webhook_id, params.delivery_id)
        },
        Effect.catchTags({
          ...missingDelivery,
          DeliveryPending: conflict,
          DeliveryQueueFull: conflict,
          WebhookDisabled: conflict
        }),
        orUnavailable
      )
    })
  })
)
