// What Slack sends to the URL of a channel, as bytes with their signature.
import { assert, describe, it } from "@effect/vitest"
import * as SlackServer from "@svc-runtime/test-support/platforms/SlackServer"
import { Effect } from "effect"
import type { Event } from "../../src/Adapter.ts"
import { asking, call, failureOf, prompt, reasonOf, starting } from "./SlackPlatform.ts"

const textOf = (event: Event | undefined) => event?.type === "message" ? event.text : undefined

const seconds = () => Math.floor(Date.now() / 1000)

describe("whether a request is from Slack", () => {
  it.live("the verification of the URL is answered with its challenge", () =>
    Effect.gen(function*() {
      const { receive } = yield* starting()
      const received = yield* receive({ type: "url_verification", token: "t", challenge: "c&<1>" })
      assert.deepEqual(JSON.parse(received.acknowledgement.body ?? ""), { challenge: "c&<1>" })
      assert.deepEqual(received.events, [])
    }))

  it.live("a request with another body, time, signature or secret is forged, and so is one without them", () =>
    Effect.gen(function*() {
      const { adapter, context, deliveryOf, slack } = yield* starting()
      const other = yield* starting({ signingSecret: "a".repeat(32) })
      const good = deliveryOf(slack.message({ channel: "D0ANN", text: "Hi" }), "event")
      const { headers } = good
      const signature = headers["x-slack-signature"] ?? ""
      const forged = [
        { body: new TextEncoder().encode("{}") },
        { headers: { ...headers, "x-slack-request-timestamp": String(seconds() - 1) } },
        { headers: { ...headers, "x-slack-request-timestamp": "now" } },
        { headers: { ...headers, "x-slack-signature": signature.toUpperCase() } },
        { headers: { ...headers, "x-slack-signature": signature.slice(3) } },
        { headers: { ...headers, "x-slack-signature": "" } },
        { headers: {} }
      ]
      for (const change of forged) {
        const failure = yield* failureOf(() => adapter.receive({ ...good, ...change }, context))
        assert.strictEqual(reasonOf(failure), "forged", JSON.stringify(change))
      }
      assert.strictEqual(reasonOf(yield* failureOf(() => other.adapter.receive(good, context))), "forged")
      assert.lengthOf((yield* call(() => adapter.receive(good, context))).events, 1)
    }))

  it.live("a request that was signed more than five minutes ago, or for later, is forged", () =>
    Effect.gen(function*() {
      const { adapter, context, deliveryOf, slack } = yield* starting()
      const payload = slack.message({ channel: "D0ANN", text: "Hi" })
      for (const at of [seconds() - 310, seconds() + 310]) {
        const failure = yield* failureOf(() => adapter.receive(deliveryOf(payload, "event", at), context))
        assert.strictEqual(reasonOf(failure), "forged")
      }
      const recent = deliveryOf(payload, "event", seconds() - 290)
      assert.lengthOf((yield* call(() => adapter.receive(recent, context))).events, 1)
    }))

  it.live("a channel with Socket Mode alone is not called", () =>
    Effect.gen(function*() {
      const { adapter, context, deliveryOf, slack } = yield* starting({ signingSecret: undefined })
      const delivery = deliveryOf(slack.message({ channel: "D0ANN", text: "Hi" }), "event")
      assert.strictEqual(reasonOf(yield* failureOf(() => adapter.receive(delivery, context))), "forged")
    }))

  it.live("a signed body that cannot be read is malformed, and what is of another kind has no events", () =>
    Effect.gen(function*() {
      const { adapter, context, deliveryOf, receive, slack } = yield* starting()
      const { body: _, ...base } = deliveryOf({}, "event")
      for (const text of ["{", "[]", "1", "\"a\"", "null", ""]) {
        const { body, headers } = slack.signed(text, "application/json")
        const delivery = { ...base, headers, body: new TextEncoder().encode(body) }
        const failure = yield* failureOf(() => adapter.receive(delivery, context))
        assert.strictEqual(reasonOf(failure), "malformed", text)
      }
      const message = { type: "message", channel_type: "im", channel: "D0ANN", user: "U0ANN", ts: "1.1", text: "Hi" }
      const others = [
        {},
        { type: "app_rate_limited", minute_rate_limited: 1 },
        slack.event({ type: "reaction_added", user: "U0ANN" }),
        slack.event({ ...message, ts: "never" }),
        slack.event({ ...message, channel: "../x" }),
        { ...slack.event(message), event_id: "a b" }
      ]
      for (const other of others) assert.deepEqual((yield* receive(other)).events, [], JSON.stringify(other))
    }))
})

describe("what people write in Slack", () => {
  it.live("an event that is sent again has the same id, thread and place", () =>
    Effect.gen(function*() {
      const { adapter, context, deliveryOf, receive, slack } = yield* starting()
      const payload = slack.message({ channel: "C0DESK", text: "<@U0BOT> hello" })
      const again = deliveryOf(payload, "event")
      const headers = { ...again.headers, "x-slack-retry-num": "1", "x-slack-retry-reason": "http_timeout" }
      const repeated = yield* call(() => adapter.receive({ ...again, headers }, context))
      assert.deepEqual(repeated.events, (yield* receive(payload)).events)
    }))

  it.live("a mention begins a thread in its channel, and later mentions in the thread belong to it", () =>
    Effect.gen(function*() {
      const { read, slack } = yield* starting()
      const first = yield* read(slack.message({ channel: "C0DESK", text: "<@U0BOT> is 1 &lt; 2?", ts: "17.5" }))
      const place = { channel: "C0DESK", thread: "17.5" }
      assert.deepInclude(first, { thread: "C0DESK:17.5", place, isDirect: false, text: "is 1 < 2?" })
      const next = slack.message({ channel: "C0DESK", text: "ok <@U0BOT>", ts: "18.1", thread_ts: "17.5" })
      assert.deepInclude(yield* read(next), { thread: "C0DESK:17.5", place, text: "ok" })
    }))

  it.live("messages to the agent are one conversation, and each of their threads is another one", () =>
    Effect.gen(function*() {
      const { read, slack } = yield* starting()
      const plain = yield* read(slack.message({ channel: "D0ANN", text: "Hello" }))
      assert.deepInclude(plain, { thread: "D0ANN", place: { channel: "D0ANN" }, isDirect: true })
      const inThread = yield* read(slack.message({ channel: "D0ANN", text: "Hello", thread_ts: "17.5" }))
      assert.deepInclude(inThread, { thread: "D0ANN:17.5", place: { channel: "D0ANN", thread: "17.5" } })
    }))

  it.live("what programs, the agent and Slack itself write is not read, and neither are edits and deletions", () =>
    Effect.gen(function*() {
      const { receive, slack } = yield* starting()
      const unread = [
        { bot_id: "B0OTHER" },
        { bot_id: "B0BOT", user: "U0BOT" },
        { user: "U0BOT" },
        { subtype: "bot_message", bot_id: "B1", user: undefined },
        { subtype: "message_changed", hidden: true },
        { subtype: "message_deleted", hidden: true },
        { subtype: "channel_join" },
        { channel: "C0DESK", type: "message", channel_type: "channel" },
        { channel: "C0DESK", text: "<@U0BOT> hello", bot_id: "B0OTHER" }
      ]
      for (const values of unread) {
        const { events } = yield* receive(slack.message({ channel: "D0ANN", text: "Hello", ...values } as never))
        assert.deepEqual(events, [], JSON.stringify(values))
      }
    }))

  it.live("links and mentions are read as people see them, and names of people are added before the run", () =>
    Effect.gen(function*() {
      const { adapter, context, read, slack } = yield* starting()
      const text = "<@U0BOT> ask <@U0BEN> in <#C1|desk>, see <https://a.example/?q=1&amp;r=2|the page> " +
        "<https://b.example> <!here> <mailto:a@b.example|a@b.example>"
      const event = yield* read(slack.message({ channel: "C0DESK", text }))
      assert.isDefined(event)
      const completed = yield* call(async () => adapter.complete?.(event, context))
      assert.strictEqual(
        textOf(completed),
        "ask @Ben Example in #desk, see [the page](https://a.example/?q=1&r=2) https://b.example @here a@b.example"
      )
      assert.deepEqual(completed?.sender, { id: "U0ANN", name: "Ann" })
    }))

  it.live("a person of another workspace has another id than one of this workspace", () =>
    Effect.gen(function*() {
      const { read, slack } = yield* starting()
      const event = yield* read(slack.message({ channel: "C0DESK", text: "<@U0BOT> hi", user_team: "T9" }))
      assert.strictEqual(event?.sender.id, "T9/U0ANN")
    }))

  it.live("a command with a question is a message that others see, and its words are commands of the service", () =>
    Effect.gen(function*() {
      const { read, receive, slack } = yield* starting()
      const question = yield* receive(slack.command({ text: "what is up?" }), "command")
      assert.deepInclude(question.events[0], {
        type: "message",
        text: "what is up?",
        thread: "C0DESK:U0ANN",
        place: { channel: "C0DESK" },
        sender: { id: "U0ANN", name: "ann" }
      })
      assert.deepEqual(JSON.parse(question.acknowledgement.body ?? ""), { response_type: "in_channel" })
      const named = [["new", "new", ""], ["", "help", ""], ["LINK ab12", "link", "ab12"]] as const
      for (const [text, name, rest] of named) {
        const event = yield* read(slack.command({ text }), "command")
        assert.deepInclude(event, { type: "command", name, text: rest })
      }
      assert.isUndefined((yield* receive(slack.command({ text: "new" }), "command")).acknowledgement.body)
      const direct = yield* receive(slack.command({ text: "hi", channel_id: "D0ANN" }), "command")
      assert.deepInclude(direct.events[0], { thread: "D0ANN", isDirect: true })
      assert.isUndefined(direct.acknowledgement.body)
    }))

  it.live("the page of the agent is published once for each person, until its text changes", () =>
    Effect.gen(function*() {
      const { receive, slack } = yield* starting({ home: "# Desk\n\nAsk me." })
      const opened = { type: "app_home_opened", user: "U0ANN", tab: "home", channel: "D0ANN" }
      assert.deepEqual((yield* receive(slack.event(opened))).events, [])
      const view = slack.homes.get("U0ANN")
      assert.include(JSON.stringify(view), "Ask me.")
      yield* receive(slack.event({ ...opened, view }))
      yield* receive(slack.event({ ...opened, tab: "messages" }))
      assert.lengthOf(slack.calls.filter(({ method }) => method === "views.publish"), 1)
      yield* receive(slack.event({ ...opened, view: { private_metadata: "older" } }))
      assert.lengthOf(slack.calls.filter(({ method }) => method === "views.publish"), 2)
    }))
})

describe("what people press in Slack", () => {
  const pressing = Effect.fnUntraced(function*(known = prompt) {
    const platform = yield* starting({ prompt: known })
    yield* platform.post({ text: "Send?", prompt: known })
    const [message] = platform.slack.messages
    assert.isDefined(message)
    const press = (label: string) => platform.receive(platform.slack.press(message, label), "interaction")
    return { ...platform, message, press }
  })

  it.live("a choice without a form is a press at once, by the person who pressed", () =>
    Effect.gen(function*() {
      const { press, slack } = yield* pressing()
      const { acknowledgement, events } = yield* press("Approve")
      assert.isUndefined(acknowledgement.body)
      assert.deepInclude(events[0], {
        type: "press",
        prompt: "p1",
        choice: "yes",
        thread: "D0ANN",
        sender: { id: "U0ANN", name: "ann" }
      })
      assert.deepEqual(slack.views, [])
    }))

  it.live("a choice with a form opens its window and is no event, until the person sends the fields", () =>
    Effect.gen(function*() {
      const fields = [
        { name: "to", label: "To", type: "text", isRequired: true, value: "ann" },
        { name: "why", label: "Why", type: "paragraph", isRequired: false },
        { name: "count", label: "Count", type: "number", isRequired: true, value: "2" },
        { name: "sure", label: "Sure", type: "boolean", isRequired: true, value: "true" },
        { name: "size", label: "Size", type: "choice", options: ["S", "L"], isRequired: true, value: "L" }
      ] as const
      const { press, receive, slack } = yield* pressing(asking(fields))
      assert.deepEqual((yield* press("Go")).events, [])
      const submitted = slack.submit({
        to: { value: "ben" },
        count: { value: "3" },
        sure: { selected_options: [] },
        size: { selected_option: { value: "S" } }
      })
      const { acknowledgement, events } = yield* receive(submitted, "interaction")
      assert.isUndefined(acknowledgement.body)
      const values = { to: "ben", count: 3, sure: false, size: "S" }
      assert.deepInclude(events[0], { type: "press", prompt: "p2", choice: "go", thread: "D0ANN", values })
      assert.deepEqual((yield* receive(submitted, "interaction")).events, events)
    }))

  it.live("a field that a person has emptied is an empty text, and one that was empty is left out", () =>
    Effect.gen(function*() {
      const { press, receive, slack } = yield* pressing(asking([
        { name: "old", label: "Old", type: "text", isRequired: false, value: "ann" },
        { name: "new", label: "New", type: "text", isRequired: false }
      ]))
      yield* press("Go")
      const { events } = yield* receive(slack.submit({ old: { value: null }, new: { value: null } }), "interaction")
      assert.deepInclude(events[0], { values: { old: "" } })
    }))

  it.live("a form that Slack cannot show is answered by text: the press counts without its fields", () =>
    Effect.gen(function*() {
      const long = asking([{
        name: "text",
        label: "Text",
        type: "paragraph",
        isRequired: true,
        value: "x".repeat(3001)
      }])
      const wide = asking([{ name: "c", label: "C", type: "choice", options: ["x".repeat(200)], isRequired: true }])
      for (const known of [long, wide]) {
        const { press, slack } = yield* pressing(known)
        const { events } = yield* press("Go")
        assert.deepInclude(events[0], { type: "press", choice: "go" })
        assert.notProperty(events[0], "values")
        assert.deepEqual(slack.views, [])
      }
    }))

  it.live("a press counts without its fields when Slack opens no window, or when the prompt is decided", () =>
    Effect.gen(function*() {
      const { adapter, context, deliveryOf, message, press, slack } = yield* pressing()
      slack.fail("views.open", { error: "expired_trigger_id" })
      assert.deepInclude((yield* press("Reject")).events[0], { type: "press", choice: "no" })
      const decided = { ...context, prompt: async () => undefined }
      const late = deliveryOf(slack.press(message, "Reject"), "interaction")
      assert.lengthOf((yield* call(() => adapter.receive(late, decided))).events, 1)
    }))

  it.live("buttons and windows of other programs are not read", () =>
    Effect.gen(function*() {
      const { message, receive, slack } = yield* pressing()
      const press = slack.press(message, "Approve")
      const others = [
        { ...press, actions: [{ action_id: "other", type: "button" }] },
        { ...press, actions: [] },
        { type: "view_submission", user: { id: SlackServer.ann }, view: { id: "V1", callback_id: "other" } },
        { type: "view_closed", user: { id: SlackServer.ann } }
      ]
      for (const other of others) assert.deepEqual((yield* receive(other, "interaction")).events, [])
    }))
})
