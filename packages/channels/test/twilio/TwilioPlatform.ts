// A channel on an account of the local server, and what an adapter needs to work there.
import * as TwilioServer from "@svc-runtime/test-support/platforms/TwilioServer"
import { Effect } from "effect"
import type { Context, Delivery, Event, OutgoingMessage } from "../../src/Adapter.ts"
import { ChannelError } from "../../src/ChannelError.ts"
import * as Twilio from "../../src/twilio/index.ts"

export const call = <A>(work: () => Promise<A>): Effect.Effect<A> => Effect.promise(work)

/** The failure of a call, which must fail. */
export const failureOf = (work: () => Promise<unknown>): Effect.Effect<unknown> =>
  Effect.promise(() => work().then((value) => value, (error: unknown) => error))

export const reasonOf = (error: unknown): unknown => error instanceof ChannelError ? error.reason : error

export const context: Context = {
  signal: new AbortController().signal,
  fetch: (url, init) => fetch(url, { ...init, redirect: "manual" })
}

export const starting = Effect.fnUntraced(function*(settings: Partial<Twilio.Settings> = {}) {
  const server = yield* TwilioServer.make()
  const { accountSid, address, ann, authToken, number, url } = server
  const adapter = Twilio.adapter({ accountSid, authToken, from: number, apiUrl: url, ...settings })
  const place = { to: ann, from: number }
  const delivered = ({ body, headers }: ReturnType<typeof server.signed>): Delivery => ({
    method: "POST",
    url: address,
    headers,
    body: new TextEncoder().encode(body),
    at: Date.now()
  })
  const read = (fields: TwilioServer.Fields): Effect.Effect<ReadonlyArray<Event>> =>
    Effect.map(
      call(() => adapter.receive(delivered(server.requestOf(fields)), context)),
      ({ events }) => events
    )
  return {
    server,
    adapter,
    place,
    delivered,
    read,
    post: (message: Partial<OutgoingMessage> = {}) =>
      call(() => adapter.post(place, { text: "Hello", key: "k1", ...message }, context))
  }
})
