// The endpoints of channels.
import { ServedDatabases } from "@svc-runtime/agents/database/ServedDatabases"
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Principal from "@svc-runtime/domain/Principal"
import * as Tenant from "@svc-runtime/domain/Tenant"
import { IdempotencyStore } from "@svc-runtime/engine/idempotency/IdempotencyStore"
import { NewId } from "@svc-runtime/engine/NewId"
import * as CallerKey from "@svc-runtime/http/authorization/CallerKey"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import * as FormBody from "@svc-runtime/http/forms/FormBody"
import { group } from "@svc-runtime/http/group"
import * as IdempotencyKey from "@svc-runtime/http/idempotency/IdempotencyKey"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { message } from "./ChannelJobs.ts"
import type * as ChannelLink from "./ChannelLink.ts"
import { ChannelLinks } from "./ChannelLinks.ts"
import { ChannelLinkStore } from "./ChannelLinkStore.ts"
import { ChannelMessages, ownerOf } from "./ChannelMessages.ts"
import { Channels as Endpoints } from "./ChannelsApi.ts"
import { ChannelStore } from "./ChannelStore.ts"
import { type LiveChannel, LiveChannels } from "./LiveChannels.ts"
import { call } from "./PlatformCalls.ts"
import * as Receiving from "./Receiving.ts"
import * as Sentences from "./Sentences.ts"
import type * as ShownChannel from "./ShownChannel.ts"
import * as StoredChannelsHandlers from "./StoredChannelsHandlers.ts"

interface Failure {
  readonly message: string
}

const refusals = {
  CodeRejected: ({ message }: Failure) => Effect.fail(Errors.notFound(message)),
  TooManyCodes: ({ message }: Failure) => Effect.fail(Errors.tooManyRequests(message))
}

/** A code is for people, and the service knows which user its caller is. */
const whoConfirms = Effect.fnUntraced(function*(named: Parameters<typeof RequestCaller.actorOfNew>[0]) {
  const { credential } = yield* CurrentPrincipal
  if (credential === "internal") return yield* Errors.forbidden("A schedule cannot link an account")
  const user_id = yield* RequestCaller.actorOfNew(named)
  if (user_id !== null) return user_id
  return yield* Errors.invalidValue(
    ["body", "user_id"],
    credential === "open"
      ? "This service does not know its callers, because AUTHORIZATION is off. Name the user in user_id, or let " +
        "people talk to the channel without links: access: { type: \"open\" }"
      : "The credential names no user. Name the user in user_id"
  )
})

/** The user, and the address, which can have many users. */
const byOf = ({ remoteAddress }: HttpServerRequest.HttpServerRequest) =>
  CurrentPrincipal.useSync((principal) => {
    const address = Option.getOrUndefined(remoteAddress)
    return [...new Set([CallerKey.ofPrincipal(principal, address), CallerKey.ofAddress(address)])]
  })

/** Characters of what a platform says about the agent. */
const maxIdentity = 500

/** Callers of a tenant see its channels, and those of all tenants. */
const isVisible = ({ tenant }: LiveChannel, principal: Principal.Principal) =>
  principal.tenant === undefined || tenant === undefined || tenant === principal.tenant

const isManaged = ({ tenant }: LiveChannel, principal: Principal.Principal) =>
  principal.tenant === undefined || tenant === principal.tenant

const ofAll = Effect.fail(Errors.forbidden("The channel is of the service as a whole"))

const shownOf = (
  { access, adapter: { listen, platform }, component: { id, kind }, stored, tenant, whenBusy = "queue", ...channel }:
    LiveChannel,
  health: ShownChannel.Shown["health"]
): ShownChannel.Shown => ({
  id: channel.id,
  platform,
  component_kind: kind,
  component_id: id,
  access: access?.type ?? "linked",
  when_busy: whenBusy,
  tenant: tenant ?? null,
  declared: stored === undefined,
  settings: stored?.settings ?? null,
  secrets: stored?.secret_names ?? [],
  events_path: listen === undefined ? `/channels/${channel.id}/events` : null,
  health
})

export const handlers = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const [links, linkStore, receive] = [yield* ChannelLinks, yield* ChannelLinkStore, yield* Receiving.make]
    const [channels, messages, store] = [yield* LiveChannels, yield* ChannelMessages, yield* ChannelStore]
    const [idempotency, stored] = [yield* IdempotencyStore, yield* StoredChannelsHandlers.make]
    const { own } = yield* ServedDatabases

    /** The person learns as whom the account acts: another person can have confirmed the code. */
    const tell = ({ channel, id, sender, user_id }: ChannelLink.Shown) =>
      own.jobs.enqueue(message, {
        channel,
        to: { sender },
        text: Sentences.linkedTo(Tenant.within(user_id)),
        key: `link ${id}`
      }).pipe(Effect.ignore({ log: true }))

    const visible = Effect.fnUntraced(function*(id: string) {
      const channel = yield* channels.find(id)
      if (Option.isSome(channel) && isVisible(channel.value, yield* CurrentPrincipal)) return channel.value
      return yield* Errors.notFound("Channel not found")
    })

    const shown = Effect.fnUntraced(function*(channel: LiveChannel) {
      const health = isManaged(channel, yield* CurrentPrincipal) ? yield* store.health(channel.id) : null
      return shownOf(channel, health)
    })

    const sent = Effect.fnUntraced(function*(channel: string, id: string) {
      const found = Option.getOrUndefined(yield* store.sent(channel, id))
      if (found === undefined) return yield* Errors.notFound("Message not found")
      const { created_at, error, thread, written_at } = found
      const status = written_at === null ? "waiting" as const : error === null ? "written" as const : "failed" as const
      return { message: { id, channel, thread, status, error, created_at, written_at }, user_id: found.user_id }
    })

    return handlers
      .handle(
        "list",
        Effect.fn("Channels.list")(function*({ query }) {
          const principal = yield* CurrentPrincipal
          const all = (yield* channels.all).filter((channel) => isVisible(channel, principal))
          const page = yield* Effect.forEach(Pagination.slice(query, all), shown)
          return JsonResponse.of(Pagination.response(query, page, all.length))
        }, orUnavailable)
      )
      .handle(
        "get",
        Effect.fn("Channels.get")(({ params }) => Effect.flatMap(visible(params.channel_id), shown), orUnavailable)
      )
      .handle(
        "create",
        Effect.fn("Channels.create")(
          ({ payload }) => Effect.flatMap(stored.create(payload), shown),
          orUnavailable
        )
      )
      .handle(
        "update",
        Effect.fn("Channels.update")(
          ({ params, payload }) => Effect.flatMap(stored.update(params.channel_id, payload), shown),
          orUnavailable
        )
      )
      .handle(
        "remove",
        Effect.fn("Channels.remove")(({ params }) => stored.remove(params.channel_id), orUnavailable)
      )
      .handle(
        "test",
        Effect.fn("Channels.test")(function*({ params }) {
          const channel = yield* visible(params.channel_id)
          if (!isManaged(channel, yield* CurrentPrincipal)) return yield* ofAll
          return yield* Effect.match(call((context) => channel.adapter.test(context)), {
            onSuccess: (identity) => ({ ok: true, identity: identity.slice(0, maxIdentity), error: null }),
            onFailure: ({ message, reason }) => ({ ok: false, identity: null, error: { reason, message } })
          })
        }, orUnavailable)
      )
      .handle(
        "send",
        Effect.fn("Channels.send")(function*({ params, payload, request }) {
          const channel = yield* visible(params.channel_id)
          const id = (yield* NewId)()
          const claimed = yield* IdempotencyKey.claim(idempotency, {
            request,
            fingerprint: FormBody.fingerprintOf({ fields: { body: JSON.stringify(payload) }, files: [] }),
            subject: { message_id: id }
          })
          const sending = { ...payload, id: String(claimed?.subject["message_id"] ?? id) }
          if (claimed !== undefined && Option.isSome(yield* store.sent(channel.id, sending.id))) {
            return (yield* sent(channel.id, sending.id)).message
          }
          const owner = ownerOf(channel, yield* CurrentPrincipal)
          yield* messages.send(channel, sending, owner).pipe(
            Effect.catchTags({
              ChannelError: ({ message }) => Effect.fail(Errors.unavailable(message)),
              MessagesFull: ({ message }) => Effect.fail(Errors.tooManyRequests(message)),
              AddresseeUnknown: ({ message }) => Effect.fail(Errors.notFound(message))
            })
          )
          return (yield* sent(channel.id, sending.id)).message
        }, orUnavailable)
      )
      .handle(
        "getMessage",
        Effect.fn("Channels.getMessage")(function*({ params }) {
          const channel = yield* visible(params.channel_id)
          const { message, user_id } = yield* sent(channel.id, params.channel_message_id)
          return Owner.covers(ownerOf(channel, yield* CurrentPrincipal), user_id)
            ? message
            : yield* Errors.notFound("Message not found")
        }, orUnavailable)
      )
      .handleRaw("receive", ({ params, request }) => receive(params.channel_id, request))
      .handleRaw("verify", ({ params, request }) => receive(params.channel_id, request))
      .handle(
        "previewLink",
        Effect.fn("Channels.previewLink")(function*({ payload: { code }, request }) {
          return yield* links.preview({ code, by: yield* byOf(request), principal: yield* CurrentPrincipal }).pipe(
            Effect.catchTags(refusals)
          )
        }, orUnavailable)
      )
      .handle(
        "confirmLink",
        Effect.fn("Channels.confirmLink")(function*({ payload: { code, user_id }, request }) {
          const principal = yield* CurrentPrincipal
          const confirming = { code, by: yield* byOf(request), principal, user_id: yield* whoConfirms(user_id) }
          const linked = yield* links.confirm(confirming).pipe(
            Effect.catchTags({ ...refusals, LinkRefused: ({ message }) => Effect.fail(Errors.forbidden(message)) })
          )
          yield* tell(linked)
          return linked
        }, orUnavailable)
      )
      .handle(
        "listLinks",
        Effect.fn("Channels.listLinks")(function*({ query }) {
          const { links: found, total } = yield* linkStore.list(yield* RequestCaller.ownerOf(query.user_id), query)
          const shown = yield* Effect.forEach(found, links.shown)
          return JsonResponse.of(Pagination.response(query, shown, total))
        }, orUnavailable)
      )
      .handle(
        "removeLink",
        Effect.fn("Channels.removeLink")(function*({ params }) {
          const isRemoved = yield* linkStore.remove(params.link_id, yield* RequestCaller.ownerOf(undefined))
          if (!isRemoved) return yield* Errors.notFound("Link not found")
        }, orUnavailable)
      )
  })
)
