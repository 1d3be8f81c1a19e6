// The adapter of WhatsApp against a server that speaks the Cloud API, over real HTTP.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Prompt } from "../../src/Adapter.ts"
import { SettingsError } from "../../src/Settings.ts"
import * as WhatsApp from "../../src/whatsapp/index.ts"
import { call, context, failureOf, reasonOf, starting } from "./WhatsAppPlatform.ts"

const promptOf = (...labels: ReadonlyArray<string>): Prompt => ({
  id: "p1",
  choices: labels.map((label, index) => ({ id: `c${index}`, label, style: "plain" }))
})

const address = "https://svc.example/channels/whatsapp/events"

describe("what WhatsApp sends", () => {
  it.live("the URL is verified with the token of the channel, and with no other one", () =>
    Effect.gen(function*() {
      const { adapter, server } = yield* starting()
      const get = (query: string) => ({
        method: "GET",
        url: `${address}?${query}`,
        headers: {},
        body: new Uint8Array(),
        at: Date.now()
      })
      const good = `hub.mode=subscribe&hub.verify_token=${server.verifyToken}&hub.challenge=1158201444`
      const received = yield* call(() => adapter.receive(get(good), context))
      assert.deepInclude(received, {
        acknowledgement: { headers: { "content-type": "text/plain" }, body: "1158201444" }
      })
      for (
        const [query, reason] of [
          [good.replace("a-token", "b-token"), "forged"],
          [good.replace("subscribe", "other"), "forged"],
          ["", "forged"],
          [`${good}%3Cscript%3E`, "malformed"]
        ] as const
      ) {
        assert.strictEqual(reasonOf(yield* failureOf(() => adapter.receive(get(query), context))), reason, query)
      }
    }))

  it.live("a request with another body, signature or secret is forged", () =>
    Effect.gen(function*() {
      const { adapter, delivered, server } = yield* starting()
      const other = yield* starting({ appSecret: "f".repeat(32) })
      const good = delivered(server.requestOf(server.text("Hi")))
      const signature = good.headers["x-hub-signature-256"] ?? ""
      const forged = [
        { ...good, body: new TextEncoder().encode("{}") },
        { ...good, headers: {} },
        { ...good, headers: { "x-hub-signature-256": signature.slice(7) } },
        { ...good, method: "PUT", headers: {} }
      ]
      for (const delivery of forged) {
        assert.strictEqual(reasonOf(yield* failureOf(() => adapter.receive(delivery, context))), "forged")
      }
      assert.strictEqual(reasonOf(yield* failureOf(() => other.adapter.receive(good, context))), "forged")
    }))

  it.live("messages of one request are events in their order, with the same ids when they are sent again", () =>
    Effect.gen(function*() {
      const { read, server } = yield* starting()
      const payload = server.say({ type: "text", text: { body: "One" } }, { type: "text", text: { body: "Two" } })
      const events = yield* read(payload)
      assert.deepEqual(events.map((event) => event.type === "message" && event.text), ["One", "Two"])
      assert.deepInclude(events[0], { thread: server.ann, sender: { id: server.ann, name: "Ann" }, isDirect: true })
      assert.deepEqual(yield* read(payload), events)
    }))

  it.live("messages of other numbers, old ones, states of messages and unknown kinds are no events", () =>
    Effect.gen(function*() {
      const { read, server } = yield* starting()
      const old = String(Math.floor(Date.now() / 1000) - 8 * 24 * 60 * 60)
      const payloads = [
        server.bodyOf({ messages: [{ from: server.ann, id: "m", timestamp: "1", type: "text" }] }, "99999"),
        server.text("Hi", { timestamp: old }),
        server.text("Hi", { from: "../1" }),
        server.status("wamid.1"),
        server.say({ type: "reaction", reaction: { emoji: "x" } }),
        server.say({ type: "interactive", interactive: { button_reply: { id: "other" } } }),
        { object: "whatsapp_business_account", entry: [] }
      ]
      for (const payload of payloads) assert.deepEqual(yield* read(payload), [], JSON.stringify(payload))
      assert.lengthOf(yield* read(server.say({ type: "location", location: { latitude: 1, longitude: 2 } })), 1)
    }))

  it.live("a signed body of another form is malformed", () =>
    Effect.gen(function*() {
      const { adapter, delivered, server } = yield* starting()
      for (const body of ["", "{", "[]", "{}", "{\"object\":\"page\",\"entry\":[]}"]) {
        const failure = yield* failureOf(() => adapter.receive(delivered(server.signed(body)), context))
        assert.strictEqual(reasonOf(failure), "malformed", body)
      }
    }))

  it.live("files of people are downloaded from WhatsApp only, so that no other server gets the token", () =>
    Effect.gen(function*() {
      const { adapter, read, server } = yield* starting()
      server.files.set("media9", { bytes: new Uint8Array([1, 2]) })
      const document = { id: "media9", mime_type: "text/csv; charset=utf-8", filename: "a.csv", caption: "The file" }
      const [event] = yield* read(server.say({ type: "document", document }))
      const [file] = event?.type === "message" ? event.files ?? [] : []
      assert.deepEqual(file, { name: "a.csv", mediaType: "text/csv", source: { id: "media9" } })
      assert.strictEqual(event?.type === "message" && event.text, "The file")
      const bytes = yield* call(async () => adapter.download?.({ source: { id: "media9" } }, context))
      assert.deepEqual([...bytes ?? []], [1, 2])
      const urls: Array<string> = []
      const watching = {
        ...context,
        fetch: (url: string, init?: RequestInit) => {
          urls.push(new URL(url).hostname)
          return context.fetch(url, init)
        }
      }
      for (const url of ["https://fbsbx.com.example/a", "http://lookaside.fbsbx.com/a", "a"]) {
        server.files.set("media9", { bytes: new Uint8Array(), url })
        const failure = yield* failureOf(async () => adapter.download?.({ source: { id: "media9" } }, watching))
        assert.strictEqual(reasonOf(failure), "permanent", url)
      }
      const failure = yield* failureOf(async () => adapter.download?.({ source: { id: "../me" } }, watching))
      assert.strictEqual(reasonOf(failure), "permanent")
      assert.deepEqual(new Set(urls), new Set(["127.0.0.1"]))
    }))
})

describe("what the number writes in WhatsApp", () => {
  it.live("Markdown has the form of WhatsApp, and long texts are split", () =>
    Effect.gen(function*() {
      const { adapter, post, read, server } = yield* starting()
      yield* read(server.text("Hi"))
      yield* post({ text: "# Title\n\n**bold** *italic* ~~gone~~ `code`\n\n- one\n- two\n\n[page](https://a.example)" })
      assert.deepEqual(server.messages[0]?.values["text"], {
        preview_url: false,
        body: "*Title*\n\n*bold* _italic_ ~gone~ `code`\n\n- one\n- two\n\npage (https://a.example)"
      })
      const parts = adapter.split("A paragraph of words.\n\n".repeat(600))
      assert.isAbove(parts.length, 2)
      for (const part of parts) yield* post({ text: part })
      yield* post({ text: "" })
      assert.lengthOf(server.messages, parts.length + 2)
    }))

  it.live("three short choices are buttons, others are a list, and a press names its choice", () =>
    Effect.gen(function*() {
      const { post, read, server } = yield* starting()
      yield* read(server.text("Hi"))
      const long = "A choice that is described with more than twenty-four characters"
      const prompts = [
        [promptOf("Approve", "Reject"), "Approve", "button"],
        [promptOf("Approve", long), long, "list"],
        [promptOf("1", "2", "3", "4"), "4", "list"],
        [promptOf(...Array.from({ length: 12 }, (_, index) => `Choice ${index}`)), "Choice 9", "list"]
      ] as const
      for (const [prompt, label, type] of prompts) {
        yield* post({ text: "Send?", prompt })
        const sent = server.messages.at(-1)
        assert.isDefined(sent)
        assert.propertyVal(sent.values["interactive"], "type", type)
        const [event] = yield* read(server.press(sent, label))
        const choice = prompt.choices.find((one) => one.label === label)?.id ?? ""
        assert.deepInclude(event, { type: "press", prompt: "p1", choice })
        assert.notProperty(event, "values")
      }
      yield* post({ text: "word ".repeat(300), prompt: promptOf("Approve") })
      yield* post({ text: "", prompt: promptOf("Approve") })
      assert.lengthOf(server.messages, 6)
    }))

  it.live("files are sent behind their text, in the kind that WhatsApp shows", () =>
    Effect.gen(function*() {
      const { post, read, server } = yield* starting()
      yield* read(server.text("Hi"))
      const bytes = new Uint8Array([1])
      const files = [
        { name: "a.png", mediaType: "image/png", bytes },
        { name: "b.csv", mediaType: "text/csv", bytes },
        { name: "c.ogg", mediaType: "audio/ogg", bytes }
      ]
      const id = yield* post({ files })
      assert.strictEqual(server.messages[0]?.id, id)
      assert.deepEqual(server.messages.map(({ values }) => values["type"]), ["text", "image", "document", "audio"])
      assert.deepEqual([...server.uploads.values()].map(({ type }) => type), ["image/png", "text/plain", "audio/ogg"])
      yield* post({ text: "", files: files.slice(0, 1), key: "k2" })
      assert.lengthOf(server.messages, 5)
    }))

  it.live("when only a file has failed, the repetition sends nothing twice", () =>
    Effect.gen(function*() {
      const { adapter, place, post, read, server } = yield* starting()
      yield* read(server.text("Hi"))
      const files = [{ name: "a.png", mediaType: "image/png", bytes: new Uint8Array([1]) }]
      let sends = 0
      const failing = {
        ...context,
        fetch: (url: string, init?: RequestInit) => {
          if (url.endsWith("/messages")) sends++
          if (sends === 2) server.refuse(500, 2, "Temporary")
          return context.fetch(url, init)
        }
      }
      const message = { text: "Hello", key: "k1", files }
      assert.strictEqual(reasonOf(yield* failureOf(() => adapter.post(place, message, failing))), "temporary")
      const id = yield* post({ files })
      assert.deepEqual(server.messages.map(({ values }) => values["type"]), ["text", "image"])
      assert.strictEqual(server.messages[0]?.id, id)
    }))

  it.live("people see that their message is read and answered", () =>
    Effect.gen(function*() {
      const { adapter, read, server } = yield* starting()
      const [event] = yield* read(server.text("Hi"))
      assert.isDefined(event)
      yield* call(async () => adapter.showTyping?.(event.place, context))
      assert.deepEqual(server.typing, [event.id])
    }))

  it.live("refusals of WhatsApp say what to do about them, and never have a secret", () =>
    Effect.gen(function*() {
      const { adapter, place, server } = yield* starting()
      const post = () => failureOf(() => adapter.post(place, { text: "Hi", key: "k" }, context))
      const late = yield* post()
      assert.deepInclude(late, { reason: "permanent" })
      assert.match(String(late), /More than 24 hours/)
      const refusals = [
        [400, 131_056, "rate_limited"],
        [400, 130_429, "rate_limited"],
        [400, 4, "rate_limited"],
        [401, 190, "unauthorized"],
        [403, 200, "unauthorized"],
        [403, 131_031, "unauthorized"],
        [400, 131_042, "unauthorized"],
        [500, 131_000, "temporary"],
        [400, 131_016, "temporary"],
        [400, 131_026, "permanent"],
        [400, 100, "permanent"]
      ] as const
      for (const [status, code, reason] of refusals) {
        server.refuse(status, code, `Refused ${server.token}`)
        const failure = yield* post()
        assert.strictEqual(reasonOf(failure), reason, String(code))
        assert.notInclude(String(failure), server.token)
      }
      server.refuse(400, 131_056, "Pair rate limit hit")
      assert.deepInclude(yield* post(), { retryAfter: 6 })
    }))

  it.live("the test of a channel says which number it is, and that its token is refused", () =>
    Effect.gen(function*() {
      const { adapter } = yield* starting()
      assert.strictEqual(yield* call(() => adapter.test(context)), "Acme Desk, +1 555-000-0000")
      const other = yield* starting({ token: "EAAanother_token-of-a-number" })
      assert.strictEqual(reasonOf(yield* failureOf(() => other.adapter.test(context))), "unauthorized")
    }))
})

const mistakeOf = (settings: WhatsApp.Settings): string => {
  try {
    WhatsApp.adapter(settings)
    return "none"
  } catch (error) {
    return error instanceof SettingsError ? error.message : String(error)
  }
}

describe("settings of WhatsApp", () => {
  const good = {
    token: "EAAtest_token-of-the-number",
    phoneNumberId: "106540352242922",
    appSecret: "0123456789abcdef0123456789abcdef",
    verifyToken: "a-token-of-our-own"
  }

  it("each mistake is a sentence without the secret", () => {
    const mistakes = [
      [{ token: "abc" }, /at least 20 letters/],
      [{ phoneNumberId: "+1 555" }, /is a number, and not the phone number/],
      [{ appSecret: "secretsecret" }, /32 hexadecimal digits/],
      [{ verifyToken: "a b" }, /at least 8 characters/]
    ] as const
    for (const [settings, expected] of mistakes) {
      const message = mistakeOf({ ...good, ...settings })
      assert.match(message, expected)
      assert.notInclude(message, "secretsecret")
    }
    const { adapter: _, ...channel } = WhatsApp.make({ ...good, agent: "desk" })
    assert.deepEqual(channel, { agent: "desk", id: "whatsapp" })
  })
})
