// A channel on a number of the local server, and what an adapter needs to work there.
import * as WhatsAppServer from "@svc-runtime/test-support/platforms/WhatsAppServer"
import { Effect } from "effect"
import type { Context, Delivery, Event, OutgoingMessage } from "../../src/Adapter.ts"
import { ChannelError } from "../../src/ChannelError.ts"
import * as WhatsApp from "../../src/whatsapp/index.ts"

export const call = <A>(work: () => Promise<A>): Effect.Effect<A> => Effect.promise(work)

/** The failure of a call, which must fail. */
export const failureOf = (work: () => Promise<unknown>): Effect.Effect<unknown> =>
  Effect.promise(() => work().then((value) => value, (error: unknown) => error))

export const reasonOf = (error: unknown): unknown => error instanceof ChannelError ? error.reason : error

export const context: Context = {
  signal: new AbortController().signal,
  fetch: (url, init) => fetch(url, { ...init, redirect: "manual" })
}

export const starting = Effect.fnUntraced(function*(settings: Partial<WhatsApp.Settings> = {}) {
  const server = yield* WhatsAppServer.make()
  const { ann, appSecret, phoneNumberId, token, url, verifyToken } = server
  const adapter = WhatsApp.adapter({ token, phoneNumberId, appSecret, verifyToken, apiUrl: url, ...settings })
  const delivered = ({ body, headers }: ReturnType<typeof server.signed>): Delivery => ({
    method: "POST",
    url: "https://svc.example/channels/whatsapp/events",
    headers,
    body: new TextEncoder().encode(body),
    at: Date.now()
  })
  const read = (payload: WhatsAppServer.Values): Effect.Effect<ReadonlyArray<Event>> =>
    Effect.map(
      call(() => adapter.receive(delivered(server.requestOf(payload)), context)),
      ({ events }) => events
    )
  return {
    server,
    adapter,
    delivered,
    read,
    place: { to: ann },
    post: (message: Partial<OutgoingMessage> = {}) =>
      call(() => adapter.post({ to: ann }, { text: "Hello", key: "k1", ...message }, context))
  }
})
