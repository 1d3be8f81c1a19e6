// Messages over Discord's gateway.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { Event } from "../../src/Adapter.ts"
import * as DiscordApi from "../../src/discord/DiscordApi.ts"
import * as DiscordGateway from "../../src/discord/DiscordGateway.ts"
import { call, failureOf, listening, reasonOf, starting } from "./DiscordPlatform.ts"

const texts = (events: ReadonlyArray<Event>) =>
  events.map((event) => event.type === "message" ? event.text : event.type)

/** The numbers of the operations that the bot has sent, without heartbeats. */
const operations = (sent: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
  sent.map(({ op }) => op).filter((op) => op !== 1)

describe("what people write on Discord", () => {
  it.live("messages that mention the bot, and messages to it, are read in their order", () =>
    Effect.gen(function*() {
      const { accepted, received, server } = yield* listening()
      server.say("Hello all")
      const mention = server.say("Hey <@900>, ask <@!8> about 1 < 2", {
        mentions: [{ id: "900", username: "desk" }, { id: "8", username: "ben", global_name: "Ben" }],
        member: { nick: "Annie" }
      })
      server.say("Hi", { guild_id: null })
      yield* received(2)
      assert.deepEqual(accepted, [
        {
          type: "message",
          id: String(mention["id"]),
          thread: "5",
          place: { channel: "5" },
          sender: { id: "7", name: "Annie" },
          isDirect: false,
          text: "Hey, ask @Ben about 1 < 2"
        },
        {
          type: "message",
          id: accepted[1]?.id ?? "",
          thread: "6",
          place: { channel: "6" },
          sender: { id: "7", name: "Ann" },
          isDirect: true,
          text: "Hi"
        }
      ])
      assert.deepEqual(server.gateway.operations.find(({ op }) => op === 2)?.["d"], {
        token: server.token,
        intents: 4608,
        properties: { os: "linux", browser: "svc", device: "svc" }
      })
    }))

  it.live("what programs, the bot and Discord itself write is not read", () =>
    Effect.gen(function*() {
      const { accepted, received, server } = yield* listening()
      const bot = { id: "77", username: "other", bot: true }
      server.say("<@900> hello", { author: bot })
      server.say("<@900> hello", { author: { id: "900", username: "desk" } })
      server.say("<@900> hello", { webhook_id: "3" })
      server.say("<@900> joined", { type: 7 })
      server.say("", { guild_id: null })
      server.say("Hi", { guild_id: null, channel_id: "../6" })
      server.say("Yes", { guild_id: null, type: 19 })
      yield* received(1)
      assert.deepEqual(texts(accepted), ["Yes"])
    }))

  it.live("files are read with their messages, and downloaded from Discord only, without the token", () =>
    Effect.gen(function*() {
      const { accepted, adapter, context, received, server } = yield* listening()
      const url = `${server.url.replace("/api/v10", "")}/attachments/6/1/a.csv`
      server.attachments.set("/attachments/6/1/a.csv", new Uint8Array([1, 2]))
      const attachment = { id: "1", filename: "a.csv", content_type: "text/csv", size: 2, url, proxy_url: url }
      server.say("", { guild_id: null, attachments: [attachment, { id: "2" }] })
      yield* received(1)
      const [event] = accepted
      const [file] = event?.type === "message" ? event.files ?? [] : []
      assert.deepEqual(file, { name: "a.csv", mediaType: "text/csv", size: 2, source: { url } })
      assert.isDefined(file)
      const headers: Array<unknown> = []
      const watched: typeof context.fetch = (url, init) => {
        headers.push(init?.headers)
        return context.fetch(url, init)
      }
      const bytes = yield* call(async () => adapter.download?.(file, { ...context, fetch: watched }))
      assert.deepEqual([...bytes ?? []], [1, 2])
      assert.notInclude(JSON.stringify(headers), server.token)
      for (const url of ["http://cdn.discordapp.com/a", "https://cdn.discordapp.com.example/a", "/a", ""]) {
        const failure = yield* failureOf(async () => adapter.download?.({ source: { url } }, context))
        assert.strictEqual(reasonOf(failure), "permanent", url)
      }
    }))

  it.live("commands and buttons arrive over the gateway too, and are acknowledged by a call after they are stored", () =>
    Effect.gen(function*() {
      const { accepted, received, server } = yield* listening({ publicKey: undefined })
      server.interact({ type: 2, data: { name: "ask", options: [{ name: "text", type: 3, value: "What is up?" }] } })
      yield* received(1)
      yield* call(() => server.until(() => server.messages.length === 1))
      assert.deepEqual(texts(accepted), ["What is up?"])
      assert.match(server.calls.at(-1) ?? "", /^POST \/interactions\/\d+\/interaction-\d+\/callback$/)
    }))
})

describe("the connection to Discord's gateway", () => {
  it.live("a connection that is lost is continued, and what was sent meanwhile arrives", () =>
    Effect.gen(function*() {
      const { accepted, ended, listen, received, server } = yield* listening()
      server.say("1", { guild_id: null })
      yield* received(1)
      server.gateway.connections[0]?.cut()
      assert.strictEqual(yield* ended, "temporary")
      yield* call(() => server.until(() => server.gateway.connections.length === 0))
      server.say("2", { guild_id: null })
      yield* listen
      server.say("3", { guild_id: null })
      yield* received(3)
      assert.deepEqual(texts(accepted), ["1", "2", "3"])
      assert.deepEqual(operations(server.gateway.operations), [2, 6])
      assert.strictEqual(server.gateway.sessions.size, 1)
    }))

  it.live("Discord asks for another connection, and gets it at once", () =>
    Effect.gen(function*() {
      const { accepted, received, server } = yield* listening()
      server.gateway.connections[0]?.send({ op: 7, d: null })
      yield* call(() => server.until(() => operations(server.gateway.operations).includes(6)))
      server.say("1", { guild_id: null })
      yield* received(1)
      assert.deepEqual(texts(accepted), ["1"])
      server.gateway.connections.at(-1)?.send({ op: 9, d: true })
      yield* call(() => server.until(() => operations(server.gateway.operations).length === 3))
      assert.deepEqual(operations(server.gateway.operations), [2, 6, 6])
    }))

  it.live("a session that Discord has forgotten is begun anew", () =>
    Effect.gen(function*() {
      const { context, server } = yield* starting()
      const api = DiscordApi.make(Redacted.make(server.token), server.url)
      const memory: DiscordGateway.Memory = {}
      const controller = new AbortController()
      yield* Effect.addFinalizer(() => Effect.sync(() => controller.abort()))
      const options = { api, memory, handle: async () => undefined, patience: 1 }
      yield* Effect.forkScoped(call(() => DiscordGateway.listen(options, { ...context, signal: controller.signal })))
      const sent = (count: number) =>
        call(() => server.until(() => operations(server.gateway.operations).length >= count))
      yield* sent(1)
      server.gateway.forget()
      server.gateway.connections[0]?.send({ op: 7, d: null })
      yield* sent(3)
      for (const [index, code] of [4007, 4009].entries()) {
        yield* call(() => server.until(() => server.gateway.connections.length === 1))
        server.gateway.connections[0]?.close(code)
        yield* sent(4 + index)
      }
      assert.deepEqual(operations(server.gateway.operations), [2, 6, 2, 2, 2])
    }))

  it.live("what is not stored is sent again, and what came behind it as well", () =>
    Effect.gen(function*() {
      let attempts = 0
      const { accepted, ended, listen, received, server } = yield* listening({
        accept: async () => {
          attempts++
          if (attempts === 2) throw new Error("The database is away")
        }
      })
      for (const text of ["1", "2", "3"]) server.say(text, { guild_id: null })
      assert.strictEqual(yield* ended, "temporary")
      assert.deepEqual(texts(accepted), ["1"])
      yield* listen
      yield* received(3)
      assert.deepEqual(texts(accepted), ["1", "2", "3"])
    }))

  it.live("heartbeats have the number of the last event, and a connection that does not answer them is left", () =>
    Effect.gen(function*() {
      const { ended, received, server } = yield* listening({ heartbeat: 10 })
      server.say("1", { guild_id: null })
      yield* received(1)
      const beats = () => server.gateway.operations.filter(({ op }) => op === 1)
      yield* call(() => server.until(() => beats().at(-1)?.["d"] === 2))
      const before = beats().length
      server.gateway.connections[0]?.send({ op: 1, d: null })
      yield* call(() => server.until(() => beats().length > before))
      server.gateway.die()
      assert.strictEqual(yield* ended, "temporary")
    }))

  it.live("codes that another connection would get as well need an operator", () =>
    Effect.gen(function*() {
      for (const code of [4004, 4010, 4011, 4012, 4013, 4014]) {
        const { ended, server } = yield* listening()
        server.gateway.connections[0]?.close(code)
        assert.strictEqual(yield* ended, "unauthorized", String(code))
      }
    }))

  it.live("a bot that may begin no more sessions waits as long as Discord says", () =>
    Effect.gen(function*() {
      const { adapter, context, server } = yield* starting({ gateway: true })
      server.allowStarts(0)
      const failure = yield* failureOf(async () => adapter.listen?.(async () => undefined, context))
      assert.deepInclude(failure, { reason: "rate_limited", retryAfter: 60 })
    }))

  it.live("the token is not sent to a gateway that is not Discord's", () =>
    Effect.gen(function*() {
      const { adapter, context } = yield* starting({ gateway: true })
      for (const url of ["wss://gateway.example", "ws://gateway.discord.gg", "wss://discord.gg.example", "", 7]) {
        const body = JSON.stringify({ url, session_start_limit: { remaining: 1 } })
        const answering = { ...context, fetch: async () => new Response(body) }
        const failure = yield* failureOf(async () => adapter.listen?.(async () => undefined, answering))
        assert.deepInclude(failure, { message: "Discord gave no address for its gateway" }, String(url))
      }
    }))

  it.live("messages that cannot be read are passed over", () =>
    Effect.gen(function*() {
      const { accepted, received, server } = yield* listening()
      for (const text of ["{", "1", "[]", "{}", "{\"op\":99}", "{\"op\":0,\"t\":7}", "[".repeat(10_000)]) {
        server.gateway.connections[0]?.write(text)
      }
      server.say("1", { guild_id: null })
      yield* received(1)
      assert.deepEqual(texts(accepted), ["1"])
    }))

  it.live("the connection is closed when the channel stops, and the same process continues its session", () =>
    Effect.gen(function*() {
      const { accepted, ended, listen, received, server, stop } = yield* listening()
      server.say("1", { guild_id: null })
      yield* received(1)
      stop()
      assert.strictEqual(yield* ended, "stopped")
      yield* call(() => server.until(() => server.gateway.connections.length === 0))
      server.say("2", { guild_id: null })
      yield* listen
      yield* received(2)
      assert.deepEqual(texts(accepted), ["1", "2"])
    }))
})
