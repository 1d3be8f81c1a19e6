// A channel on an app of the local server, and what an adapter needs to work there.
import * as GitHubServer from "@svc-runtime/test-support/platforms/GitHubServer"
import { Effect } from "effect"
import type { Context, Delivery, Event, OutgoingMessage } from "../../src/Adapter.ts"
import { ChannelError } from "../../src/ChannelError.ts"
import * as GitHub from "../../src/github/index.ts"

export const call = <A>(work: () => Promise<A>): Effect.Effect<A> => Effect.promise(work)

/** The failure of a call, which must fail. */
export const failureOf = (work: () => Promise<unknown>): Effect.Effect<unknown> =>
  Effect.promise(() => work().then((value) => value, (error: unknown) => error))

export const reasonOf = (error: unknown): unknown => error instanceof ChannelError ? error.reason : error

export const textOf = (event: Event | undefined): string | undefined =>
  event?.type === "message" ? event.text : undefined

export const place = { installation: 55, repository: "acme/shop", number: 12 }

export const context: Context = {
  signal: new AbortController().signal,
  fetch: (url, init) => fetch(url, { ...init, redirect: "manual" })
}

export interface Starting extends GitHubServer.Options, Partial<GitHub.Settings> {}

export const starting = Effect.fnUntraced(function*({ permissions, ...settings }: Starting = {}) {
  const server = yield* GitHubServer.make(permissions === undefined ? {} : { permissions })
  const { appId, privateKey, slug, url, webhookSecret } = server
  const adapter = GitHub.adapter({ appId, slug, privateKey, webhookSecret, apiUrl: url, ...settings })
  const delivered = ({ body, headers }: ReturnType<typeof server.signed>): Delivery => ({
    method: "POST",
    url: "https://svc.example/",
    headers,
    body: new TextEncoder().encode(body),
    at: Date.now()
  })
  const deliveryOf = (payload: GitHubServer.Values, event?: string) => delivered(server.requestOf(payload, event))
  return {
    server,
    adapter,
    delivered,
    deliveryOf,
    /** The only event of a request. */
    read: (payload: GitHubServer.Values, event?: string): Effect.Effect<Event | undefined> =>
      Effect.map(call(() => adapter.receive(deliveryOf(payload, event), context)), ({ events }) => events[0]),
    post: (message: Partial<OutgoingMessage> = {}, to: Readonly<Record<string, string | number>> = place) =>
      call(() => adapter.post(to, { text: "Hello", key: "k1", ...message }, context))
  }
})
