// Slack's own clients, unmodified, against the local server: that it speaks Slack's wire.
import { assert, describe, it } from "@effect/vitest"
import * as ForeignClients from "@svc-runtime/test-support/ForeignClients"
import type * as SlackServer from "@svc-runtime/test-support/platforms/SlackServer"
import { Effect } from "effect"
import type * as Http from "node:http"
import type { AddressInfo } from "node:net"
import { call, prompt, starting } from "./SlackPlatform.ts"

type Values = Readonly<Record<string, unknown>>

interface WebClient {
  readonly apiCall: (method: string, options?: Values) => Promise<Values>
  readonly chat: Readonly<Record<"postMessage" | "update", (options: Values) => Promise<{ readonly ts: string }>>>
  readonly conversations: {
    readonly replies: (options: Values) => Promise<{ readonly messages: ReadonlyArray<Values> }>
  }
  readonly filesUploadV2: (options: Values) => Promise<Values>
}

interface WebApi {
  readonly WebClient: new(token: string, options: Values) => WebClient
}

interface SocketModeClient {
  readonly on: (event: string, listener: (given: Given) => void) => void
  readonly start: () => Promise<unknown>
  readonly disconnect: () => Promise<void>
}

interface Given {
  readonly ack: (payload?: Values) => Promise<void>
  readonly body: Values
}

interface SocketMode {
  readonly SocketModeClient: new(options: Values) => SocketModeClient
}

interface Handled {
  readonly ack: (response?: Values) => Promise<void>
  readonly say: (message: Values | string) => Promise<Values>
  readonly command: { readonly text: string }
  readonly event: { readonly text: string; readonly ts: string }
  readonly client: WebClient
  readonly body: { readonly trigger_id: string }
  readonly view: { readonly private_metadata: string }
}

type Handler = (handled: Handled) => Promise<void>

interface App {
  readonly event: (name: string, handler: Handler) => void
  readonly command: (name: string, handler: Handler) => void
  readonly action: (id: string | RegExp, handler: Handler) => void
  readonly view: (id: string, handler: Handler) => void
  readonly start: (port: number) => Promise<Http.Server>
  readonly stop: () => Promise<unknown>
}

interface Bolt {
  readonly App: new(options: Values) => App
}

const quiet = { logLevel: "error" }

const clientOf = Effect.fnUntraced(function*(slack: SlackServer.SlackServer, token = slack.token) {
  const { WebClient } = (yield* call(() => ForeignClients.load("@slack/web-api"))) as WebApi
  return new WebClient(token, { ...quiet, slackApiUrl: `${slack.url}/`, retryConfig: { retries: 1, minTimeout: 1 } })
})

describe.skipIf(!ForeignClients.areInstalled)("@slack/web-api and the local server", () => {
  it.live("the client writes, changes and reads messages in a thread", () =>
    Effect.gen(function*() {
      const { adapter, context, slack } = yield* starting()
      const client = yield* clientOf(slack)
      assert.deepInclude(yield* call(() => client.apiCall("auth.test")), { ok: true, user: "desk", team: "Acme" })
      const blocks = [{ type: "section", text: { type: "mrkdwn", text: "*Hi*" } }]
      const place = { channel: "C0DESK", thread: "17.5" }
      const key = { event_type: "svc_message", event_payload: { key: "k1" } }
      const message = { channel: "C0DESK", thread_ts: "17.5", text: "Hi", blocks, metadata: key }
      const { ts } = yield* call(() => client.chat.postMessage(message))
      assert.strictEqual(yield* call(async () => adapter.find?.(place, "k1", context)), ts)
      yield* call(() => client.chat.update({ channel: "C0DESK", ts, text: "Bye", blocks }))
      yield* call(() => adapter.post(place, { text: "**From** the adapter", key: "k2", prompt }, context))
      const read = yield* call(() => client.conversations.replies({ channel: "C0DESK", ts: "17.5", limit: 1 }))
      assert.deepEqual(read.messages.map(({ text }) => text), ["Bye"])
      assert.propertyVal(read, "has_more", true)
    }))

  it.live("the client uploads files in three steps", () =>
    Effect.gen(function*() {
      const { slack } = yield* starting()
      const client = yield* clientOf(slack)
      const upload = { channel_id: "C0DESK", thread_ts: "17.5", filename: "a.csv", file: Buffer.from("a,b") }
      yield* call(() => client.filesUploadV2(upload))
      assert.deepEqual(slack.messages.map(({ thread_ts }) => thread_ts), ["17.5"])
      assert.include([...slack.files.values()].map(({ bytes }) => Buffer.from(bytes ?? []).toString()).join(""), "a,b")
    }))

  it.live("the client waits as long as the server asks, and understands its refusals", () =>
    Effect.gen(function*() {
      const { slack } = yield* starting()
      const client = yield* clientOf(slack)
      slack.fail("chat.postMessage", { retryAfter: 0.01 })
      yield* call(() => client.chat.postMessage({ channel: "C0DESK", text: "Hi" }))
      assert.lengthOf(slack.messages, 1)
      const refusal = (work: () => Promise<unknown>) =>
        call(() => work().then(() => undefined, (error: { readonly data?: Values }) => error.data?.["error"]))
      assert.strictEqual(yield* refusal(() => client.chat.postMessage({ channel: "x", text: "" })), "channel_not_found")
      const long = [{ type: "section", text: { type: "mrkdwn", text: "x".repeat(3001) } }]
      const tooLong = () => client.chat.postMessage({ channel: "C0DESK", text: "x", blocks: long })
      assert.strictEqual(yield* refusal(tooLong), "invalid_blocks")
      const other = yield* clientOf(slack, "xoxb-other")
      assert.strictEqual(yield* refusal(() => other.apiCall("auth.test")), "invalid_auth")
      assert.strictEqual(yield* refusal(() => client.apiCall("apps.connections.open")), "not_allowed_token_type")
    }))
})

describe.skipIf(!ForeignClients.areInstalled)("@slack/socket-mode and the local server", () => {
  it.live("the client gets events and commands, acknowledges them, and connects again when it is asked to", () =>
    Effect.gen(function*() {
      const { slack } = yield* starting()
      const { SocketModeClient } = (yield* call(() => ForeignClients.load("@slack/socket-mode"))) as SocketMode
      const clientOptions = { slackApiUrl: `${slack.url}/` }
      const client = new SocketModeClient({ ...quiet, appToken: slack.appToken, clientOptions })
      const seen: Array<unknown> = []
      client.on("message", ({ ack, body }) => {
        seen.push((body["event"] as Values)["text"])
        void ack()
      })
      client.on("slash_commands", ({ ack, body }) => {
        seen.push(body["command"])
        void ack({ response_type: "in_channel" })
      })
      yield* Effect.acquireRelease(call(() => client.start()), () => call(() => client.disconnect()))
      yield* call(() => slack.push("events_api", slack.message({ channel: "D0ANN", text: "Hello" })))
      const shown = yield* call(() => slack.push("slash_commands", slack.command({ text: "what?" })))
      assert.deepEqual(shown, { response_type: "in_channel" })
      slack.connections[0]?.send({ type: "disconnect", reason: "refresh_requested" })
      yield* call(() => slack.until(() => slack.opened() === 2 && slack.connections.length === 1))
      yield* call(() => slack.push("events_api", slack.message({ channel: "D0ANN", text: "Again" })))
      assert.deepEqual(seen, ["Hello", "/desk", "Again"])
    }))
})

describe.skipIf(!ForeignClients.areInstalled)("@slack/bolt and the local server", () => {
  const app = Effect.gen(function*() {
    const { post, slack } = yield* starting()
    const { App } = (yield* call(() => ForeignClients.load("@slack/bolt"))) as Bolt
    const { signingSecret, token, url } = slack
    const clientOptions = { slackApiUrl: `${url}/` }
    const bolt = new App({ ...quiet, token, signingSecret, clientOptions, endpoints: "/events" })
    const server = yield* Effect.acquireRelease(call(() => bolt.start(0)), () => call(() => bolt.stop()))
    slack.setAddress(`http://127.0.0.1:${(server.address() as AddressInfo).port}/events`)
    return { bolt, slack, post }
  })

  it.live("the client accepts signatures, the verification, events and commands", () =>
    Effect.gen(function*() {
      const { bolt, slack } = yield* app
      bolt.event("app_mention", async ({ event, say }) => void await say({ text: event.text, thread_ts: event.ts }))
      bolt.command("/desk", async ({ ack, command }) => ack({ response_type: "in_channel", text: command.text }))
      const verified = yield* call(() => slack.deliver({ type: "url_verification", challenge: "c1" }, "event"))
      assert.deepInclude(JSON.parse(verified.body), { challenge: "c1" })
      const mention = slack.message({ channel: "C0DESK", text: "<@U0BOT> hello" })
      assert.strictEqual((yield* call(() => slack.deliver(mention, "event"))).status, 200)
      yield* call(() => slack.until(() => slack.messages.length === 1))
      assert.strictEqual(slack.messages[0]?.text, "<@U0BOT> hello")
      const command = yield* call(() => slack.deliver(slack.command({ text: "what?" }), "command"))
      assert.deepEqual(JSON.parse(command.body), { response_type: "in_channel", text: "what?" })
    }))

  it.live("the client reads buttons that the adapter wrote, opens a window with them, and reads what is sent", () =>
    Effect.gen(function*() {
      const { bolt, post, slack } = yield* app
      yield* post({ prompt })
      bolt.action(/^svc:p1:/, async ({ ack, body, client }) => {
        await ack()
        const element = { type: "plain_text_input", action_id: "text" }
        const blocks = [{ type: "input", block_id: "reason", label: { type: "plain_text", text: "Reason" }, element }]
        const title = { type: "plain_text", text: "Why?" }
        const view = { type: "modal", callback_id: "why", private_metadata: "p1", title, submit: title, blocks }
        await client.apiCall("views.open", { trigger_id: body.trigger_id, view })
      })
      const sent: Array<string> = []
      bolt.view("why", async ({ ack, view }) => {
        await ack()
        sent.push(view.private_metadata)
      })
      const [message] = slack.messages
      assert.isDefined(message)
      assert.strictEqual((yield* call(() => slack.deliver(slack.press(message, "Reject"), "interaction"))).status, 200)
      yield* call(() => slack.until(() => slack.views.length === 1))
      yield* call(() => slack.deliver(slack.submit({ reason: { value: "No" } }), "interaction"))
      assert.deepEqual(sent, ["p1"])
    }))
})
