// A channel on a bot of the local server, and what an adapter needs to work there.
import * as TelegramServer from "@svc-runtime/test-support/platforms/TelegramServer"
import { Effect } from "effect"
import type { Context, Delivery, Event } from "../../src/Adapter.ts"
import * as Telegram from "../../src/telegram/index.ts"

export const context: Context = {
  signal: new AbortController().signal,
  fetch: (url, init) => fetch(url, { ...init, redirect: "manual" })
}

export const secret = "a-secret_of-the-webhook"

export const starting = Effect.fnUntraced(function*(settings: Partial<Telegram.Settings> = {}) {
  const server = yield* TelegramServer.make()
  const adapter = Telegram.adapter({ token: server.token, apiUrl: server.url, secret, ...settings })
  const receive = (update: unknown, headers: Readonly<Record<string, string>> = proof) =>
    adapter.receive(deliveryOf(JSON.stringify(update), headers), context)
  return { server, adapter, receive }
})

export const proof = { "x-telegram-bot-api-secret-token": secret }

export const deliveryOf = (body: string, headers: Readonly<Record<string, string>>): Delivery => ({
  method: "POST",
  url: "https://svc.example.com/channels/telegram/events",
  headers,
  body: new TextEncoder().encode(body),
  at: 1_800_000_000_000
})

export const call = <A>(work: () => Promise<A>): Effect.Effect<A> => Effect.promise(work)

/** The failure of a call, which must fail. */
export const failureOf = (work: () => Promise<unknown>): Effect.Effect<unknown> =>
  Effect.promise(() => work().then((value) => value, (error: unknown) => error))

export const textOf = (event: Event | undefined): string | undefined =>
  event?.type === "message" || event?.type === "command" ? event.text : undefined
