// Receives the requests of platforms. They have no credential of the service: the adapter verifies them.
import { ServedDatabases } from "@svc-runtime/agents/database/ServedDatabases"
import { Errors } from "@svc-runtime/api"
import { FailedAttempts } from "@svc-runtime/auth"
import type * as Adapter from "@svc-runtime/channels/Adapter"
import type { ChannelError } from "@svc-runtime/channels/ChannelError"
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import { now } from "@svc-runtime/engine/now"
import * as CallerKey from "@svc-runtime/http/authorization/CallerKey"
import * as BodyBytes from "@svc-runtime/http/forms/BodyBytes"
import { Forms } from "@svc-runtime/http/forms/Forms"
import { ServerSettings } from "@svc-runtime/http/Settings"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Clock, Effect, Option } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { ChannelStore } from "./ChannelStore.ts"
import * as Inbox from "./Inbox.ts"
import { LiveChannels } from "./LiveChannels.ts"
import { call } from "./PlatformCalls.ts"
import * as Prompts from "./Prompts.ts"

/** Bytes of a request of a platform. */
const maxBody = 1024 * 1024

/** Milliseconds: platforms wait for few seconds. */
const receiving = 2500

/** Seconds. */
const noteEvery = 60

const unknown = Errors.notFound("Channel not found")

/** A platform that is refused does not learn why. The log says it. */
const refused = Effect.fnUntraced(function*(error: ChannelError) {
  yield* Effect.logWarning("A request to a channel was refused", error.message)
  switch (error.reason) {
    case "forged":
      return yield* Errors.unauthenticated("The request is not signed by the platform")
    case "malformed":
      return yield* Errors.badRequest("The request cannot be read")
    default:
      return yield* Errors.unavailable("The request cannot be verified at the moment. Try again shortly.")
  }
})

const responseOf = ({ body, headers, status = 200 }: Adapter.Acknowledgement) =>
  body === undefined
    ? HttpServerResponse.empty({ status, ...(headers === undefined ? {} : { headers }) })
    : HttpServerResponse.text(body, { status, ...(headers === undefined ? {} : { headers }) })

export const make = Effect.gen(function*() {
  const channels = yield* LiveChannels
  const forms = yield* Forms
  const store = yield* ChannelStore
  const { own } = yield* ServedDatabases
  const { protocols: { publicUrl } } = yield* ServerSettings
  const { isTooMany } = yield* FailedAttempts.share(100)
  /** When a refused request was noted, by the channel. */
  const notedAt = new Map<string, number>()

  /** For the health of the channel. Everybody can send such requests, so they are not all noted. */
  const note = Effect.fnUntraced(function*(channel: string, { message }: ChannelError) {
    const at = yield* now
    if (at - (notedAt.get(channel) ?? 0) < noteEvery) return
    notedAt.set(channel, at)
    yield* store.failed(channel, { kind: "receive", message, at })
  })

  const accept = Inbox.make({ store, signal: own.jobs.signal, room: channels.limits.room })

  const deliveryOf = (request: HttpServerRequest.HttpServerRequest, body: Uint8Array) =>
    Effect.map(Clock.currentTimeMillis, (at): Adapter.Delivery => ({
      method: request.method,
      url: `${publicUrl ?? `http://${request.headers["host"] ?? "localhost"}`}${request.url}`,
      headers: request.headers as Readonly<Record<string, string>>,
      body,
      at
    }))

  return Effect.fnUntraced(function*(id: string, request: HttpServerRequest.HttpServerRequest) {
    const found = yield* channels.find(id)
    const address = CallerKey.ofAddress(Option.getOrUndefined(request.remoteAddress))
    const refusedOnce = Effect.fnUntraced(function*<E>(error: E) {
      const isBlocked = isTooMany(`${id} ${address}`, yield* Monotonic.millis)
      return yield* (isBlocked ? Errors.tooManyRequests("Too many requests were refused") : Effect.fail(error))
    })
    if (Option.isNone(found)) return yield* refusedOnce(unknown)
    const channel = found.value
    const reservation = forms.reservation(address)
    const read = BodyBytes.collect({ request, limit: maxBody, setting: undefined, ...reservation }).pipe(
      Effect.ensuring(reservation.release)
    )
    const delivery = yield* deliveryOf(request, request.method === "GET" ? new Uint8Array() : yield* read)
    const prompt = Prompts.find(store, id)
    const received = yield* call((context) => channel.adapter.receive(delivery, context), {
      prompt,
      timeout: receiving
    })
      .pipe(
        Effect.tap(({ events }) => accept(channel, events)),
        Effect.catchTags({
          ChannelError: (error) => Effect.andThen(note(id, error), Effect.catch(refused(error), refusedOnce)),
          ChannelFull: ({ message }) => Errors.tooManyRequests(message)
        })
      )
    return responseOf(received.acknowledgement)
  }, orUnavailable)
})
