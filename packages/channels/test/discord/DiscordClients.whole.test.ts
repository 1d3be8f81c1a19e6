// Discord's clients of other makers, unmodified, against the local server: that it speaks Discord's wire.
import { assert, describe, it } from "@effect/vitest"
import * as ForeignClients from "@svc-runtime/test-support/ForeignClients"
import { Effect } from "effect"
import { call, failureOf, starting } from "./DiscordPlatform.ts"

type Values = Readonly<Record<string, unknown>>

interface Rest {
  readonly setToken: (token: string) => Rest
  readonly get: (path: string) => Promise<Values>
  readonly post: (path: string, options: Values) => Promise<Values>
  readonly patch: (path: string, options: Values) => Promise<Values>
}

interface RestPackage {
  readonly REST: new(options: Values) => Rest
}

interface Manager {
  readonly on: (event: string, listener: (given: Given) => void) => void
  readonly connect: () => Promise<void>
  readonly destroy: () => Promise<void>
}

interface Given {
  readonly t: string
  readonly d: Values
}

interface Ws {
  readonly WebSocketManager: new(options: Values) => Manager
}

interface Interactions {
  readonly verifyKey: (body: Uint8Array | string, signature: string, time: string, key: string) => Promise<boolean>
}

const restOf = Effect.gen(function*() {
  const platform = yield* starting()
  const { REST } = (yield* call(() => ForeignClients.load("@discordjs/rest"))) as RestPackage
  const api = platform.server.url.replace("/v10", "")
  const rest = new REST({ api, version: "10", retries: 1 })
  return { ...platform, rest: rest.setToken(platform.server.token), REST, api }
})

describe.skipIf(!ForeignClients.areInstalled)("@discordjs/rest and the local server", () => {
  it.live("the client writes and changes messages, with buttons and files", () =>
    Effect.gen(function*() {
      const { rest, server } = yield* restOf
      assert.deepInclude(yield* call(() => rest.get("/users/@me")), { username: "desk" })
      const components = [{ type: 1, components: [{ type: 2, style: 1, label: "Yes", custom_id: "p1:yes" }] }]
      const files = [{ name: "a.csv", data: Buffer.from("a,b") }]
      const sent = yield* call(() => rest.post("/channels/5/messages", { body: { content: "Hi", components }, files }))
      assert.deepEqual(server.messages.map(({ files }) => files), [["a.csv"]])
      yield* call(() => rest.patch(`/channels/5/messages/${String(sent["id"])}`, { body: { content: "Bye" } }))
      assert.deepEqual(server.messages.map(({ values }) => values["content"]), ["Bye"])
    }))

  it.live("the client waits as long as the server asks, and understands its refusals", () =>
    Effect.gen(function*() {
      const { REST, api, rest, server } = yield* restOf
      server.limit(0.01)
      yield* call(() => rest.post("/channels/5/messages", { body: { content: "Hi" } }))
      assert.lengthOf(server.messages, 1)
      const refused = (content: string, channel = "5") =>
        failureOf(() => rest.post(`/channels/${channel}/messages`, { body: { content } }))
      assert.deepInclude(yield* refused("x".repeat(2001)), { status: 400, code: 50_035 })
      assert.deepInclude(yield* refused("Hi", "404"), { status: 404, code: 10_003 })
      const other = new REST({ api, version: "10" }).setToken("a.b.c")
      assert.deepInclude(yield* failureOf(() => other.get("/users/@me")), { status: 401 })
    }))
})

describe.skipIf(!ForeignClients.areInstalled)("@discordjs/ws and the local server", () => {
  const intents = (1 << 9) | (1 << 12)

  it.live("the client begins a session, gets messages, and continues the session when it is asked to", () =>
    Effect.gen(function*() {
      const { rest, server } = yield* restOf
      const { WebSocketManager } = (yield* call(() => ForeignClients.load("@discordjs/ws"))) as Ws
      const manager = new WebSocketManager({ token: server.token, intents, rest })
      const seen: Array<unknown> = []
      const checks: Array<() => void> = []
      manager.on("dispatch", ({ d, t }) => {
        seen.push(t === "MESSAGE_CREATE" ? d["content"] : t)
        for (const check of checks) check()
      })
      const until = (count: number) =>
        call(() =>
          new Promise<void>((resolve) => {
            const check = () => seen.length >= count && resolve()
            checks.push(check)
            check()
          })
        )
      yield* Effect.acquireRelease(call(() => manager.connect()), () => call(() => manager.destroy()))
      server.say("Hello", { guild_id: null })
      server.say("Not for the bot")
      server.say("<@900> hello")
      yield* until(4)
      server.gateway.connections[0]?.send({ op: 7, d: null })
      yield* call(() => server.until(() => server.gateway.operations.some(({ op }) => op === 6)))
      server.say("Again", { guild_id: null })
      yield* until(6)
      assert.deepEqual(seen, ["READY", "Hello", "", "<@900> hello", "RESUMED", "Again"])
    }))

  it.live("the client is refused with the codes of Discord", () =>
    Effect.gen(function*() {
      const { rest, server } = yield* restOf
      const { WebSocketManager } = (yield* call(() => ForeignClients.load("@discordjs/ws"))) as Ws
      const refused = (options: Values) =>
        call(async () => {
          const manager = new WebSocketManager({ token: server.token, intents, rest, ...options })
          const closed = new Promise((resolve) => {
            manager.on("error", resolve)
            manager.on("closed", resolve)
          })
          const connected = manager.connect().catch((error: unknown) => error)
          const failure = await Promise.race([closed, connected.then((error) => error ?? closed)])
          await manager.destroy()
          return failure
        })
      assert.match(JSON.stringify(yield* refused({ intents: 1 << 15 })), /4014|disallowed/i)
      assert.strictEqual(yield* refused({ token: "a.b.c" }), 4004)
    }))
})

describe.skipIf(!ForeignClients.areInstalled)("discord-interactions and the local server", () => {
  it.live("the client accepts the signatures of the server, and no others", () =>
    Effect.gen(function*() {
      const { server } = yield* starting()
      const { verifyKey } = (yield* call(() => ForeignClients.load("discord-interactions"))) as Interactions
      const { body, headers } = server.requestOf(server.interaction({ type: 1 }))
      const { "x-signature-ed25519": signature = "", "x-signature-timestamp": time = "" } = headers
      assert.isTrue(yield* call(() => verifyKey(body, signature, time, server.publicKey)))
      assert.isFalse(yield* call(() => verifyKey(`${body} `, signature, time, server.publicKey)))
    }))
})
