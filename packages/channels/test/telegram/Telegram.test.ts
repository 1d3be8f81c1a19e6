// The adapter of Telegram against a server that speaks the Bot API, over real HTTP.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ChannelError } from "../../src/ChannelError.ts"
import * as Telegram from "../../src/telegram/index.ts"
import { call, context, deliveryOf, failureOf, proof, secret, starting, textOf } from "./TelegramPlatform.ts"

const group = { id: -100, type: "supergroup", title: "Team", is_forum: true } as const
const message = { text: "Hello", key: "k1" }

const reasonOf = (error: unknown) => error instanceof ChannelError ? error.reason : error

describe("what Telegram sends", () => {
  it.live("a message in a private chat is read with the id of its update", () =>
    Effect.gen(function*() {
      const { receive, server } = yield* starting()
      const update = server.say("Hello")
      const { events } = yield* call(() => receive(update))
      assert.deepEqual(events, [{
        type: "message",
        id: String(update.update_id),
        thread: "7",
        place: { chat: 7 },
        sender: { id: "7", name: "Ann" },
        isDirect: true,
        text: "Hello",
        files: []
      }])
    }))

  it.live("a request without the secret token, or with another one, is refused as forged", () =>
    Effect.gen(function*() {
      const { receive, server } = yield* starting()
      const update = server.say("Hello")
      for (const headers of [{}, { "x-telegram-bot-api-secret-token": `${secret}x` }]) {
        assert.strictEqual(reasonOf(yield* failureOf(() => receive(update, headers))), "forged")
      }
    }))

  it.live("a body that is no JSON object is refused, and an update of an unknown kind is accepted without events", () =>
    Effect.gen(function*() {
      const { adapter, receive } = yield* starting()
      for (const body of ["{", "[]", "1"]) {
        const failure = yield* failureOf(() => adapter.receive(deliveryOf(body, proof), context))
        assert.strictEqual(reasonOf(failure), "malformed")
      }
      for (const update of [{ update_id: 1, poll: {} }, { update_id: 2, message: { chat: "x" } }, {}]) {
        assert.deepEqual((yield* call(() => receive(update))).events, [])
      }
    }))

  it.live("a message of a group is read when it mentions the bot, answers it, or names it in a command", () =>
    Effect.gen(function*() {
      const { receive, server } = yield* starting()
      const mention = { chat: group, entities: [{ type: "mention", offset: 4, length: 9 }] }
      const replied = { message_id: 1, from: server.bot, text: "Before" }
      const read = (update: unknown) => Effect.map(call(() => receive(update)), ({ events }) => events[0])
      assert.strictEqual(textOf(yield* read(server.say("Hey @desk_bot help", mention))), "Hey help")
      assert.strictEqual(textOf(yield* read(server.say("Yes", { chat: group, reply_to_message: replied }))), "Yes")
      assert.deepInclude(yield* read(server.say("/new@desk_bot now", { chat: group })), {
        type: "command",
        name: "new",
        text: "now",
        isDirect: false
      })
      assert.isUndefined(yield* read(server.say("Hello all", { chat: group })))
      assert.isUndefined(yield* read(server.say("/new@other_bot", { chat: group })))
      assert.isUndefined(yield* read(server.say("Hey @desk_bot help", { ...mention, from: { ...server.bot, id: 99 } })))
      const created = { ...replied, forum_topic_created: {} }
      assert.isUndefined(yield* read(server.say("A topic", { chat: group, reply_to_message: created })))
    }))

  it.live("a reply to another person shows the agent what it is about", () =>
    Effect.gen(function*() {
      const { receive, server } = yield* starting()
      const update = server.say("@desk_bot is it so?", {
        chat: group,
        entities: [{ type: "mention", offset: 0, length: 9 }],
        reply_to_message: { message_id: 1, from: { ...server.ann, id: 8 }, text: "It rains" }
      })
      const { events } = yield* call(() => receive(update))
      assert.strictEqual(textOf(events[0]), "> It rains\n\nis it so?")
    }))

  it.live("a topic of a forum is a conversation of its own, and answers are written there", () =>
    Effect.gen(function*() {
      const { adapter, receive, server } = yield* starting()
      const update = server.say("/new@desk_bot", { chat: group, message_thread_id: 5, is_topic_message: true })
      const [event] = (yield* call(() => receive(update))).events
      assert.strictEqual(event?.thread, "-100/5")
      yield* call(() => adapter.post(event!.place, message, context))
      assert.strictEqual(server.sent()[0]?.["message_thread_id"], 5)
    }))

  it.live("files that people send are downloaded, and files that are too large are refused before it", () =>
    Effect.gen(function*() {
      const { adapter, receive, server } = yield* starting()
      server.addFile("f1", new Uint8Array([1, 2, 3]))
      const photo = [{ file_id: "small" }, { file_id: "f1", file_size: 3 }]
      const [event] = (yield* call(() => receive(server.say("", { photo, caption: "See" })))).events
      const [file] = event?.type === "message" ? event.files ?? [] : []
      assert.deepInclude(file, { name: "photo.jpg", mediaType: "image/jpeg", size: 3 })
      assert.deepEqual([...yield* call(() => adapter.download!(file!, context))], [1, 2, 3])
      const large = { ...file!, size: 20 * 2 ** 20 + 1 }
      assert.strictEqual(reasonOf(yield* failureOf(() => adapter.download!(large, context))), "permanent")
    }))

  it.live("a press is acknowledged by the response of the webhook", () =>
    Effect.gen(function*() {
      const { adapter, receive, server } = yield* starting()
      server.say("Hello")
      const choices = [{ id: "approve", label: "Approve", style: "primary" }] as const
      const post = () => adapter.post({ chat: 7 }, { ...message, prompt: { id: "p".repeat(24), choices } }, context)
      yield* call(post)
      const [sent] = server.sent()
      const data = `${"p".repeat(24)}:approve`
      assert.deepEqual(sent?.reply_markup, { inline_keyboard: [[{ text: "Approve", callback_data: data }]] })
      const { acknowledgement, events } = yield* call(() => receive(server.press(sent!, data)))
      assert.deepInclude(events[0], { type: "press", prompt: "p".repeat(24), choice: "approve", thread: "7" })
      assert.include(acknowledgement.body, "answerCallbackQuery")
    }))
})

describe("polling of Telegram", () => {
  it.live("updates are confirmed only after they are stored", () =>
    Effect.gen(function*() {
      const { adapter, server } = yield* starting({ secret: undefined })
      server.say("One")
      server.say("Two")
      const failed = yield* failureOf(() => adapter.listen!(() => Promise.reject(new Error("away")), context))
      assert.strictEqual(String(failed), "Error: away")
      assert.strictEqual(server.pending().length, 2)
      const ending = new AbortController()
      const texts: Array<string | undefined> = []
      yield* failureOf(() =>
        adapter.listen!((events) => {
          texts.push(...events.map(textOf))
          if (texts.length < 3) server.say("Three")
          else ending.abort()
          return Promise.resolve()
        }, { ...context, signal: ending.signal })
      )
      assert.deepEqual(texts, ["One", "Two", "Three"])
      assert.deepEqual(server.pending().map(({ message }) => (message as { text: string }).text), ["Three"])
    }))

  it.live("a bot with a webhook cannot be polled, and the failure says it", () =>
    Effect.gen(function*() {
      const { adapter, server } = yield* starting({ secret: undefined })
      yield* call(() =>
        Telegram.setWebhook({ ...server, secret, apiUrl: server.url }, "https://svc.example.com/e", context)
      )
      const failure = yield* failureOf(() => adapter.listen!(() => Promise.resolve(), context))
      assert.strictEqual(reasonOf(failure), "unauthorized")
      assert.strictEqual(reasonOf(yield* failureOf(() => adapter.test(context))), "unauthorized")
      yield* call(() => Telegram.deleteWebhook({ token: server.token, apiUrl: server.url }, context))
      assert.strictEqual(yield* call(() => adapter.test(context)), "Desk (@desk_bot), by polling")
    }))
})

describe("what the bot writes on Telegram", () => {
  it.live("Markdown is HTML, and the status is a quiet line that the next edit removes", () =>
    Effect.gen(function*() {
      const { adapter, server } = yield* starting()
      server.say("Hello")
      const text = "# A & B\n\n**bold** `a<b`\n\n```ts\nconst a = \"b\"\n```"
      const id = yield* call(() => adapter.post({ chat: 7 }, { ...message, text, status: "search" }, context))
      const [sent] = server.sent()
      assert.strictEqual(
        sent?.html,
        "<b>A &amp; B</b>\n\n<b>bold</b> <code>a&lt;b</code>\n\n" +
          "<pre><code class=\"language-ts\">const a = &quot;b&quot;</code></pre>\n\n<i>search</i>"
      )
      const edit = () => adapter.edit!({ chat: 7 }, id, { ...message, text: "Done" }, context)
      yield* call(edit)
      // Telegram refuses an edit that changes nothing
      yield* call(edit)
      assert.strictEqual(server.sent()[0]?.text, "Done")
    }))

  it.live("a long text is split into parts that Telegram accepts", () =>
    Effect.gen(function*() {
      const { adapter, server } = yield* starting()
      server.say("Hello")
      const parts = adapter.split("a & **b** <c> `d`\n\n".repeat(900))
      assert.isAbove(parts.length, 1)
      for (const text of parts) yield* call(() => adapter.post({ chat: 7 }, { ...message, text }, context))
      assert.strictEqual(server.sent().length, parts.length)
    }))

  it.live("pictures are sent as photos and other files as documents", () =>
    Effect.gen(function*() {
      const { adapter, server } = yield* starting()
      server.say("Hello")
      const bytes = new Uint8Array([1, 2])
      const files = [{ name: "a.png", mediaType: "image/png", bytes }, { name: "b.csv", mediaType: "text/csv", bytes }]
      yield* call(() => adapter.post({ chat: 7 }, { text: "", key: "k", files }, context))
      assert.deepEqual(server.calls.map(({ method }) => method), ["sendPhoto", "sendDocument"])
      assert.deepEqual([...server.uploads.values()].map(({ name }) => name), ["a.png", "b.csv"])
    }))

  it.live("a question asks for a reply, without which an answer in a group does not reach the bot", () =>
    Effect.gen(function*() {
      const { adapter, server } = yield* starting()
      server.addChat(group)
      const asks = { sender: "7", placeholder: "Why?" }
      yield* call(() => adapter.post({ chat: -100 }, { ...message, asks }, context))
      assert.deepEqual(server.sent()[0]?.reply_markup, { force_reply: true, input_field_placeholder: "Why?" })
    }))

  it.live("a group that was upgraded is written to by its new id", () =>
    Effect.gen(function*() {
      const { adapter, server } = yield* starting()
      server.addChat({ id: -5, type: "group" })
      server.migrate(-5, group)
      yield* call(() => adapter.post({ chat: -5 }, message, context))
      assert.strictEqual(server.sent()[0]?.chat.id, -100)
    }))

  it.live("refusals of Telegram say what to do about them, and never have the token", () =>
    Effect.gen(function*() {
      const { adapter, server } = yield* starting()
      server.say("Hello")
      const post = (chat = 7) => failureOf(() => adapter.post({ chat }, message, context))
      server.refuse(429, "Too Many Requests: retry after 7", { retry_after: 7 })
      assert.deepInclude(yield* post(), { reason: "rate_limited", retryAfter: 7 })
      server.refuse(502, "Bad Gateway")
      assert.strictEqual(reasonOf(yield* post()), "temporary")
      assert.strictEqual(reasonOf(yield* post(404)), "permanent")
      server.block(7)
      assert.strictEqual(reasonOf(yield* post()), "permanent")
      for (const token of ["123456:wrong", "1:malformed"]) {
        const other = Telegram.adapter({ token, apiUrl: server.url })
        const failure = yield* failureOf(() => other.post({ chat: 7 }, message, context))
        assert.strictEqual(reasonOf(failure), "unauthorized")
        assert.notInclude(String(failure), token)
      }
    }))
})

describe("settings of Telegram", () => {
  it("a mistake is a sentence without the secret", () => {
    assert.throws(
      () => Telegram.make({ agent: "a", token: "hunter2" }),
      /^The token of Telegram is a number, a colon and/
    )
    assert.throws(
      () => Telegram.make({ agent: "a", token: "1:a", secret: "ö" }),
      /^The secret of Telegram has up to 256/
    )
  })

  it("a channel has the options and no settings", () => {
    const { adapter: _, ...rest } = Telegram.make({ agent: "desk", token: "1:a" })
    assert.deepEqual(rest, { id: "telegram", agent: "desk" })
  })
})
