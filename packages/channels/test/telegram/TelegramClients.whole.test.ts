// grammY, unmodified, against the local server: that it speaks the Bot API.
import { assert, describe, it } from "@effect/vitest"
import * as ForeignClients from "@svc-runtime/test-support/ForeignClients"
import * as PlatformListener from "@svc-runtime/test-support/platforms/PlatformListener"
import { Effect } from "effect"
import { call, failureOf, secret, starting } from "./TelegramPlatform.ts"

type Values = Readonly<Record<string, unknown>>

interface Sent {
  readonly message_id: number
  readonly text: string
}

interface Handled {
  readonly message: { readonly text: string }
  readonly reply: (text: string, options?: Values) => Promise<Sent>
  readonly answerCallbackQuery: (text: string) => Promise<true>
  readonly callbackQuery: { readonly data: string }
  readonly match: string
}

interface Bot {
  readonly api: {
    readonly sendMessage: (chat: number, text: string, options?: Values) => Promise<Sent>
    readonly editMessageText: (chat: number, id: number, text: string, options?: Values) => Promise<unknown>
    readonly sendDocument: (chat: number, file: object, options?: Values) => Promise<unknown>
    readonly getFile: (id: string) => Promise<{ readonly file_path: string }>
    readonly setWebhook: (url: string, options: Values) => Promise<true>
    readonly setMyCommands: (commands: ReadonlyArray<Values>) => Promise<true>
  }
  readonly command: (name: string, handler: (handled: Handled) => Promise<unknown>) => void
  readonly on: (filter: string, handler: (handled: Handled) => Promise<unknown>) => void
  readonly start: (options: Values) => Promise<void>
  readonly stop: () => Promise<void>
}

interface Grammy {
  readonly Bot: new(token: string, options: Values) => Bot
  readonly InputFile: new(bytes: Uint8Array, name: string) => object
  readonly InlineKeyboard: new() => { readonly text: (label: string, data: string) => object }
  readonly webhookCallback: (bot: Bot, adapter: "std/http", options: Values) => (request: Request) => Promise<Response>
}

const botOf = Effect.gen(function*() {
  const platform = yield* starting()
  const grammy = (yield* call(() => ForeignClients.load("grammy"))) as Grammy
  const bot = new grammy.Bot(platform.server.token, { client: { apiRoot: platform.server.url } })
  return { ...platform, grammy, bot }
})

describe.skipIf(!ForeignClients.areInstalled)("grammY and the local server", () => {
  it.live("the client writes and edits messages with buttons, and sends files", () =>
    Effect.gen(function*() {
      const { bot, grammy, server } = yield* botOf
      server.say("Hello")
      const keyboard = new grammy.InlineKeyboard().text("Yes", "p1:yes")
      const options = { parse_mode: "HTML", reply_markup: keyboard }
      const { message_id, text } = yield* call(() => bot.api.sendMessage(7, "<b>Hi</b> &amp; you", options))
      assert.strictEqual(text, "Hi & you")
      yield* call(() => bot.api.editMessageText(7, message_id, "Bye"))
      assert.deepEqual(server.sent().map(({ text }) => text), ["Bye"])
      const file = new grammy.InputFile(new Uint8Array([1, 2]), "a.csv")
      yield* call(() => bot.api.sendDocument(7, file, { caption: "The file" }))
      assert.deepEqual([...server.uploads.values()].map(({ bytes, name }) => [name, ...bytes]), [["a.csv", 1, 2]])
      yield* call(() => bot.api.setMyCommands([{ command: "new", description: "Begin" }]))
      assert.deepEqual(server.commands(), [{ command: "new", description: "Begin" }])
      server.addFile("f1", new Uint8Array([3]))
      const { file_path } = yield* call(() => bot.api.getFile("f1"))
      const bytes = yield* call(() => fetch(`${server.url}/file/bot${server.token}/${file_path}`))
      assert.deepEqual([...new Uint8Array(yield* call(() => bytes.arrayBuffer()))], [3])
    }))

  it.live("the client understands refusals, and how long it has to wait", () =>
    Effect.gen(function*() {
      const { bot, server } = yield* botOf
      server.say("Hello")
      const refusal = (work: () => Promise<unknown>) => failureOf(work)
      server.refuse(429, "Too Many Requests: retry after 7", { retry_after: 7 })
      const limited = yield* refusal(() => bot.api.sendMessage(7, "Hi"))
      assert.deepInclude(limited, { error_code: 429, parameters: { retry_after: 7 } })
      const html = yield* refusal(() => bot.api.sendMessage(7, "<b>", { parse_mode: "HTML" }))
      assert.deepInclude(html, { error_code: 400 })
      assert.deepInclude(yield* refusal(() => bot.api.sendMessage(8, "Hi")), {
        description: "Bad Request: chat not found"
      })
    }))

  it.live("the client polls messages, commands and presses in their order", () =>
    Effect.gen(function*() {
      const { bot, server } = yield* botOf
      const seen: Array<string> = []
      const all = Promise.withResolvers<void>()
      bot.command("new", async ({ match }) => seen.push(`new ${match}`))
      bot.on("message:text", async (handled) => {
        seen.push(handled.message.text)
        const keyboard = { inline_keyboard: [[{ text: "Yes", callback_data: "p1:yes" }]] }
        await handled.reply("Sure?", { reply_markup: keyboard })
        const [sent] = server.sent()
        assert.isDefined(sent)
        server.press(sent, "p1:yes")
      })
      bot.on("callback_query:data", async (handled) => {
        await handled.answerCallbackQuery("Done")
        seen.push(handled.callbackQuery.data)
        all.resolve()
      })
      server.say("/new one")
      server.say("Hello")
      const running = bot.start({ timeout: 5 })
      yield* call(() => Promise.race([all.promise, running]))
      yield* call(() => bot.stop())
      yield* call(() => running)
      assert.deepEqual(seen, ["new one", "Hello", "p1:yes"])
      assert.lengthOf(server.answered, 1)
    }))

  it.live("the client registers a webhook, and accepts what the server delivers with its secret", () =>
    Effect.gen(function*() {
      const { bot, grammy, server } = yield* botOf
      const seen: Array<string> = []
      bot.on("message:text", async (handled) => {
        seen.push(handled.message.text)
        await handled.reply("Hi")
      })
      const handle = grammy.webhookCallback(bot, "std/http", { secretToken: secret })
      const { url } = yield* PlatformListener.listen(async ({ body, headers }) => {
        const answer = await handle(
          new Request("http://bot.example", { method: "POST", headers, body: new Uint8Array(body) })
        )
        return { status: answer.status, body: await answer.text() }
      })
      yield* call(() => bot.api.setWebhook(url, { secret_token: secret }))
      const update = server.say("Hello")
      assert.strictEqual(yield* call(() => server.deliver(update)), 200)
      yield* call(() => bot.api.setWebhook(url, { secret_token: "another" }))
      assert.strictEqual(yield* call(() => server.deliver(update)), 401)
      assert.deepEqual(seen, ["Hello"])
      assert.deepEqual(server.sent().map(({ text }) => text), ["Hi"])
    }))
})
