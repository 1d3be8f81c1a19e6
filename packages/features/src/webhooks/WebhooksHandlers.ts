// The endpoints of webhooks. Only the responses that make or replace a secret have it.
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { group } from "@svc-runtime/http/group"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Redacted } from "effect"
import { Webhooks } from "./Webhooks.ts"
import { Webhooks as Endpoints } from "./WebhooksApi.ts"

interface Failure {
  readonly message: string
}

const conflict = ({ message }: Failure) => Effect.fail(Errors.conflict(message))

const notFound = ({ message }: Failure) => Effect.fail(Errors.notFound(message))

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

    return handlers.handleAll({
      list: Effect.fn("Webhooks.list")(function*({ query }) {
        const listed = yield* webhooks.list(yield* CurrentPrincipal, query)
        return JsonResponse.of(Pagination.response(query, listed.webhooks, listed.total))
      }, orUnavailable),
      create: Effect.fn("Webhooks.create")(
        function*({ payload }) {
          const { secret, webhook } = yield* webhooks.create(yield* CurrentPrincipal, payload)
          return { ...webhook, secret: Redacted.value(secret) }
        },
        Effect.catchTags({
          ...refused,
          ReservedUserId: ({ message }: Failure) => Effect.fail(Errors.forbidden(message)),
          TooManyWebhooks: conflict
        }),
        orUnavailable
      ),
      get: Effect.fn("Webhooks.get")(
        function*({ params }) {
          return yield* webhooks.get(yield* CurrentPrincipal, params.webhook_id)
        },
        Effect.catchTags(missing),
        orUnavailable
      ),
      update: Effect.fn("Webhooks.update")(
        function*({ params, payload }) {
          return yield* webhooks.update(yield* CurrentPrincipal, params.webhook_id, payload)
        },
        Effect.catchTags({ ...refused, ...missing }),
        orUnavailable
      ),
      remove: Effect.fn("Webhooks.remove")(
        function*({ params }) {
          yield* webhooks.remove(yield* CurrentPrincipal, params.webhook_id)
        },
        Effect.catchTags(missing),
        orUnavailable
      ),
      rotateSecret: Effect.fn("Webhooks.rotateSecret")(
        function*({ params }) {
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
