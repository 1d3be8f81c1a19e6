// Webhooks. One of another user is not found. Only the answers that make or replace a secret have it.
import { Api, Errors } from "@svc/api"
import * as Pagination from "@svc/domain/Pagination"
import * as Webhook from "@svc/domain/Webhook"
import { NewId } from "@svc/runtime/NewId"
import { now } from "@svc/runtime/now"
import { WebhookLimits } from "@svc/runtime/webhook/WebhookLimits"
import { type AddressRefused, WebhookSender } from "@svc/runtime/webhook/WebhookSender"
import { WebhookStore } from "@svc/runtime/webhook/WebhookStore"
import { Effect, Option, Redacted } from "effect"
import * as RequestCaller from "../authorization/RequestCaller.ts"
import * as JsonAnswer from "../JsonAnswer.ts"
import * as WebhookSecret from "../webhooks/WebhookSecret.ts"
import { orUnavailable } from "../WireErrors.ts"
import { group } from "./group.ts"

const notFound = Errors.notFound("Webhook not found")

const orNotFound = <A>(found: Option.Option<A>) =>
  Option.match(found, { onNone: () => Effect.fail(notFound), onSome: Effect.succeed })

const refused = ({ message }: AddressRefused) =>
  new Errors.Invalid({
    detail: message,
    error_code: "VALIDATION_ERROR",
    errors: [{ loc: ["body", "url"], msg: message, type: "value_error" }]
  })

/** Seconds for which a replaced secret signs as well. */
const overlap = 86_400

export const Webhooks = group(
  Api,
  "webhooks",
  Effect.fnUntraced(function*(handlers) {
    const store = yield* WebhookStore
    const sender = yield* WebhookSender
    const { room } = yield* WebhookLimits

    const check = (url: string) => Effect.mapError(sender.check(url), refused)

    const tooMany = Errors.conflict(
      `There are too many webhooks: at most ${room.all} (MAX_WEBHOOKS), and ${room.ofUser} of a user ` +
        "(MAX_WEBHOOKS_PER_USER)"
    )

    return handlers.handleAll({
      list: Effect.fn("Webhooks.list")(function*({ query }) {
        const { total, webhooks } = yield* store.list(yield* RequestCaller.ownerOf(undefined), query)
        return JsonAnswer.of(Pagination.answer(query, webhooks, total))
      }, orUnavailable),
      create: Effect.fn("Webhooks.create")(function*({ payload }) {
        yield* check(payload.url)
        const user_id = (yield* RequestCaller.ownerOfNew(payload.user_id)) ?? null
        const webhook = Webhook.make(payload, { at: yield* now, id: Webhook.Id.make((yield* NewId)()), user_id })
        const secret = yield* WebhookSecret.generate
        if (!(yield* store.create(webhook, secret, room))) return yield* tooMany
        return { ...webhook, secret: Redacted.value(secret) }
      }, orUnavailable),
      get: Effect.fn("Webhooks.get")(function*({ params }) {
        return yield* orNotFound(yield* store.find(params.webhook_id, yield* RequestCaller.ownerOf(undefined)))
      }, orUnavailable),
      update: Effect.fn("Webhooks.update")(function*({ params, payload }) {
        const owner = yield* RequestCaller.ownerOf(undefined)
        if (payload.url !== undefined) yield* check(payload.url)
        return yield* orNotFound(yield* store.patch(params.webhook_id, owner, payload, yield* now))
      }, orUnavailable),
      remove: Effect.fn("Webhooks.remove")(function*({ params }) {
        if (!(yield* store.remove(params.webhook_id, yield* RequestCaller.ownerOf(undefined)))) return yield* notFound
      }, orUnavailable),
      rotateSecret: Effect.fn("Webhooks.rotateSecret")(function*({ params }) {
        const [at, secret] = [yield* now, yield* WebhookSecret.generate]
        const rotation = { at, secret, previousUntil: at + overlap }
        const owner = yield* RequestCaller.ownerOf(undefined)
        if (!(yield* store.rotate(params.webhook_id, owner, rotation))) return yield* notFound
        return { id: params.webhook_id, secret: Redacted.value(secret), previous_until: rotation.previousUntil }
      }, orUnavailable)
    })
  })
)
