// The endpoints of channels.
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as CallerKey from "@svc-runtime/http/authorization/CallerKey"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { group } from "@svc-runtime/http/group"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { ChannelLinks } from "./ChannelLinks.ts"
import { ChannelLinkStore } from "./ChannelLinkStore.ts"
import { Channels as Endpoints } from "./ChannelsApi.ts"
import * as Receiving from "./Receiving.ts"

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

export const handlers = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const [links, store, receive] = [yield* ChannelLinks, yield* ChannelLinkStore, yield* Receiving.make]

    return handlers
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
          return yield* links.confirm(confirming).pipe(
            Effect.catchTags({ ...refusals, LinkRefused: ({ message }) => Effect.fail(Errors.forbidden(message)) })
          )
        }, orUnavailable)
      )
      .handle(
        "listLinks",
        Effect.fn("Channels.listLinks")(function*({ query }) {
          const { links: found, total } = yield* store.list(yield* RequestCaller.ownerOf(query.user_id), query)
          const shown = yield* Effect.forEach(found, links.shown)
          return JsonResponse.of(Pagination.response(query, shown, total))
        }, orUnavailable)
      )
      .handle(
        "removeLink",
        Effect.fn("Channels.removeLink")(function*({ params }) {
          const isRemoved = yield* store.remove(params.link_id, yield* RequestCaller.ownerOf(undefined))
          if (!isRemoved) return yield* Errors.notFound("Link not found")
        }, orUnavailable)
      )
  })
)
