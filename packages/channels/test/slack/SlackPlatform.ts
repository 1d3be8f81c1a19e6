// A channel on a workspace of the local server, and what an adapter needs to work there.
import * as SlackServer from "@svc-runtime/test-support/platforms/SlackServer"
import { Effect } from "effect"
import type { Context, Delivery, Event, OutgoingMessage, Prompt, Received } from "../../src/Adapter.ts"
import { ChannelError } from "../../src/ChannelError.ts"
import * as Slack from "../../src/slack/index.ts"

type Kind = "command" | "event" | "interaction"

export const call = <A>(work: () => Promise<A>): Effect.Effect<A> => Effect.promise(work)

/** The failure of a call, which must fail. */
export const failureOf = (work: () => Promise<unknown>): Effect.Effect<unknown> =>
  Effect.promise(() => work().then((value) => value, (error: unknown) => error))

export const reasonOf = (error: unknown): unknown => error instanceof ChannelError ? error.reason : error

export const direct = { channel: "D0ANN" }

export const prompt: Prompt = {
  id: "p1",
  choices: [
    { id: "yes", label: "Approve", style: "primary" },
    {
      id: "no",
      label: "Reject",
      style: "danger",
      form: { title: "Why?", fields: [{ name: "reason", label: "Reason", type: "text", isRequired: true }] }
    }
  ]
}

/** A prompt whose only choice has a form with these fields. */
export const asking = (fields: NonNullable<Prompt["choices"][number]["form"]>["fields"]): Prompt => ({
  id: "p2",
  choices: [{ id: "go", label: "Go", style: "primary", form: { title: "Change", fields } }]
})

export interface Starting extends Partial<Slack.SlackSettings> {
  readonly prompt?: Prompt
  readonly scopes?: ReadonlyArray<string>
}

export const starting = Effect.fnUntraced(function*({ prompt: known = prompt, scopes, ...settings }: Starting = {}) {
  const slack = yield* SlackServer.make({ scopes })
  const { appToken, signingSecret, token, url } = slack
  const adapter = Slack.adapter({ token, signingSecret, appToken, apiUrl: url, ...settings })
  const context: Context = {
    signal: new AbortController().signal,
    fetch: (url, init) => fetch(url, { ...init, redirect: "manual" }),
    prompt: async (id) => id === known.id ? known : undefined
  }
  const deliveryOf = (payload: SlackServer.Payload, kind: Kind, at?: number): Delivery => {
    const { body, headers } = slack.requestOf(payload, kind, at)
    return {
      method: "POST",
      url: "https://svc.example/",
      headers,
      body: new TextEncoder().encode(body),
      at: Date.now()
    }
  }
  const receive = (payload: SlackServer.Payload, kind: Kind = "event"): Effect.Effect<Received> =>
    call(() => adapter.receive(deliveryOf(payload, kind), context))
  return {
    slack,
    adapter,
    context,
    deliveryOf,
    receive,
    /** The only event of a request. */
    read: (payload: SlackServer.Payload, kind: Kind = "event"): Effect.Effect<Event | undefined> =>
      Effect.map(receive(payload, kind), ({ events }) => events[0]),
    post: (message: Partial<OutgoingMessage>, place: Readonly<Record<string, string>> = direct) =>
      call(() => adapter.post(place, { text: "Hello", key: "k1", ...message }, context))
  }
})
