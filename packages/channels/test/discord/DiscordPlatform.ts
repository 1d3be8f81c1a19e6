// A channel on an application of the local server, and what an adapter needs to work there.
import * as DiscordServer from "@svc-runtime/test-support/platforms/DiscordServer"
import { Effect, Fiber } from "effect"
import type { Context, Delivery, Event, Prompt } from "../../src/Adapter.ts"
import { ChannelError } from "../../src/ChannelError.ts"
import * as Discord from "../../src/discord/index.ts"

export const call = <A>(work: () => Promise<A>): Effect.Effect<A> => Effect.promise(work)

/** The failure of a call, which must fail. */
export const failureOf = (work: () => Promise<unknown>): Effect.Effect<unknown> =>
  Effect.promise(() => work().then((value) => value, (error: unknown) => error))

export const reasonOf = (error: unknown): unknown => error instanceof ChannelError ? error.reason : error

export interface Starting extends DiscordServer.Options, Partial<Discord.Settings> {
  readonly prompt?: Prompt
}

export const starting = Effect.fnUntraced(function*({ heartbeat, prompt, ...settings }: Starting = {}) {
  const server = yield* DiscordServer.make(heartbeat === undefined ? {} : { heartbeat })
  const { application: applicationId, publicKey, token, url: apiUrl } = server
  const adapter = Discord.adapter({ token, applicationId, publicKey, apiUrl, ...settings })
  const context: Context = {
    signal: new AbortController().signal,
    fetch: (url, init) => fetch(url, { ...init, redirect: "manual" }),
    prompt: async (id) => id === prompt?.id ? prompt : undefined
  }
  const deliveryOf = (payload: DiscordServer.Values, at?: number): Delivery => {
    const { body, headers } = server.requestOf(payload, at)
    return {
      method: "POST",
      url: "https://svc.example/",
      headers,
      body: new TextEncoder().encode(body),
      at: Date.now()
    }
  }
  return { server, adapter, context, deliveryOf }
})

export interface Listening extends Starting {
  readonly accept?: (events: ReadonlyArray<Event>) => Promise<void>
  /** Sessions that are waited for. */
  readonly sessions?: number
}

/** Listens as the service does, until the scope ends. */
export const listening = Effect.fnUntraced(
  function*({ accept = async () => undefined, sessions = 1, ...options }: Listening = {}) {
    const platform = yield* starting({ gateway: true, ...options })
    const { adapter, context, server } = platform
    const accepted: Array<Event> = []
    const checks: Array<() => void> = []
    const listen = Effect.gen(function*() {
      const controller = new AbortController()
      const started = async () =>
        adapter.listen?.(async (events) => {
          await accept(events)
          accepted.push(...events)
          for (const check of checks) check()
        }, { ...context, signal: controller.signal })
      yield* Effect.addFinalizer(() => Effect.sync(() => controller.abort()))
      const fiber = yield* Effect.forkScoped(Effect.promise(() => started().then(() => "stopped", reasonOf)))
      return { ended: Fiber.join(fiber), stop: () => controller.abort() }
    })
    const first = yield* listen
    yield* call(() => server.until(() => server.gateway.sessions.size === sessions))
    const received = (count: number) =>
      call(() =>
        new Promise<void>((resolve) => {
          const check = () => accepted.length >= count && resolve()
          checks.push(check)
          check()
        })
      )
    return { ...platform, ...first, listen, accepted, received }
  }
)
