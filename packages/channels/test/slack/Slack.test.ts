import { assert, describe, it } from "@effect/vitest"
import type { Adapter, Context, Delivery, Event, Prompt } from "@svc-runtime/channels/Adapter"
import { adapter } from "@svc-runtime/channels/slack/Slack"
import * as SlackServer from "@svc-runtime/test-support/platforms/SlackServer"
import { Effect } from "effect"

const context: Context = { signal: new AbortController().signal, fetch: (url, init) => fetch(url, init) }

const adapterOf = ({ appToken, signingSecret, token, url }: SlackServer.SlackServer): Adapter =>
  adapter({ token, signingSecret, appToken, apiUrl: url })

type Kind = "command" | "event" | "interaction"

const deliveryOf = (
  slack: SlackServer.SlackServer,
  payload: SlackServer.Payload,
  kind: Kind,
  at?: number
): Delivery => {
  const { body, headers } = slack.requestOf(payload, kind, at)
  return { method: "POST", url: "https://svc.example/", headers, body: new TextEncoder().encode(body), at: Date.now() }
}

const prompt: Prompt = {
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

describe("Slack", () => {
  it.effect("a mention is a message in its thread, with the same id when it is sent again", () =>
    Effect.gen(function*() {
      const slack = yield* SlackServer.make()
      const payload = slack.message({ channel: "C0DESK", text: "<@U0BOT> is 1 &lt; 2?" })
      const delivery = deliveryOf(slack, payload, "event")
      const first = yield* Effect.promise(() => adapterOf(slack).receive(delivery, context))
      const again = yield* Effect.promise(() => adapterOf(slack).receive(delivery, context))
      assert.deepStrictEqual(first.events, again.events)
      const [event] = first.events
      assert.strictEqual(event?.type === "message" && event.text, "is 1 < 2?")
      assert.isFalse(event?.isDirect)
    }))

  it.effect("a request that is forged or old is refused", () =>
    Effect.gen(function*() {
      const slack = yield* SlackServer.make()
      const payload = slack.message({ channel: "D0ANN", text: "Hello" })
      const good = deliveryOf(slack, payload, "event")
      const forged = { ...good, body: new TextEncoder().encode("{}") }
      const old = deliveryOf(slack, payload, "event", Math.floor(Date.now() / 1000) - 301)
      for (const delivery of [forged, old]) {
        const failure = yield* Effect.promise(() => adapterOf(slack).receive(delivery, context).catch((error) => error))
        assert.strictEqual(failure.reason, "forged")
      }
    }))

  it.effect("a message is posted, found by its key and edited", () =>
    Effect.gen(function*() {
      const slack = yield* SlackServer.make()
      const { edit, find, post } = adapterOf(slack)
      const place = { channel: "D0ANN" }
      const id = yield* Effect.promise(() => post(place, { text: "**Hi** <!channel> & you", key: "k1" }, context))
      assert.strictEqual(yield* Effect.promise(async () => find?.(place, "k1", context)), id)
      assert.include(JSON.stringify(slack.messages[0]?.blocks), "*Hi* &lt;!channel&gt; &amp; you")
      yield* Effect.promise(async () => edit?.(place, id, { text: "Bye", key: "k1" }, context))
      assert.strictEqual(slack.messages[0]?.text, "Bye")
    }))

  it.effect("a button with a form opens a window, whose fields are the values of the press", () =>
    Effect.gen(function*() {
      const slack = yield* SlackServer.make()
      const slackAdapter = adapterOf(slack)
      yield* Effect.promise(() => slackAdapter.post({ channel: "D0ANN" }, { text: "Send?", key: "k", prompt }, context))
      const receive = (payload: SlackServer.Payload): Effect.Effect<ReadonlyArray<Event>> =>
        Effect.promise(async () => {
          const asking = { ...context, prompt: async () => prompt }
          return (await slackAdapter.receive(deliveryOf(slack, payload, "interaction"), asking)).events
        })
      const [message] = slack.messages
      assert.isDefined(message)
      const [approved] = yield* receive(slack.press(message, "Approve"))
      assert.strictEqual(approved?.type === "press" && approved.choice, "yes")
      assert.deepStrictEqual(yield* receive(slack.press(message, "Reject")), [])
      const [rejected] = yield* receive(slack.submit({ reason: { value: "Too much" } }))
      assert.deepStrictEqual(rejected?.type === "press" && rejected.values, { reason: "Too much" })
    }))
})
