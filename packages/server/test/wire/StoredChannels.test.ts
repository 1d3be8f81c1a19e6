// Channels that requests make: they are served at once on all nodes, and their secrets are never shown.
import { assert, describe, it } from "@effect/vitest"
import * as Channel from "@svc-runtime/channels/Channel"
import * as Notifications from "@svc-runtime/engine/node/Notifications"
import * as Agent from "@svc-runtime/features/Agent"
import { StoredChannelStore } from "@svc-runtime/features/channels/StoredChannelStore"
import * as MemoryPlatform from "@svc-runtime/test-support/platforms/MemoryPlatform"
import * as TestDatabase from "@svc-runtime/test-support/TestDatabase"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Layer, Option, Redacted } from "effect"
import { generateKeyPairSync, sign } from "node:crypto"
import { call, closed, token as bearerOf } from "../authorization/Closed.ts"
import { ask, at, failed, get, list, post, send } from "../Wire.ts"

Tier.oneIn(3)

const secretsKey = Redacted.make(Buffer.alloc(32, 1).toString("base64"))
const token = "MTIz.GabcDe.test-token_of-the-application"

const [keys, otherKeys] = [generateKeyPairSync("ed25519"), generateKeyPairSync("ed25519")]

const hexOf = ({ publicKey }: typeof keys) =>
  publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("hex")

const texts = { application_id: "900", public_key: hexOf(keys) }

/** The person of the tests is not admitted, so that nothing is written to the platform. */
const discord = {
  platform: "discord",
  component_kind: "agent",
  component_id: "desk",
  access: { type: "open", senders: ["1"] },
  settings: { ...texts, token }
}

const interaction = (id: number) => ({
  id: String(id),
  type: 2,
  token: "t",
  channel_id: "5",
  guild_id: "9",
  member: { user: { id: "7", username: "ann" } },
  data: { name: "ask", options: [{ name: "text", value: "Hello" }] }
})

/** Services of one database. */
const nodes = Effect.gen(function*() {
  const context = yield* Layer.build(TestDatabase.layer)
  const stores = Layer.merge(Layer.succeedContext(context), Notifications.layerNone)
  const store = yield* Effect.provideContext(StoredChannelStore, context)
  const serving = (options: TestServer.Options = {}) =>
    TestServer.make({ agents: [Agent.make({ id: "desk" })], stores, accounts: stores, secretsKey, ...options })
  return { serving, store }
})

/** Discord sends a command, whose time is that of the test. */
const arrive = (server: TestServer.TestServer, id: number, { privateKey } = keys) => {
  const body = JSON.stringify(interaction(id))
  const signature = sign(null, Buffer.from(`0${body}`), privateKey).toString("hex")
  const headers = { "content-type": "application/json", "x-signature-timestamp": "0", "x-signature-ed25519": signature }
  return ask(server, "/channels/discord/events", { method: "POST", headers, body })
}

const statusOf = Effect.map(({ status }: { readonly status: number }) => status)

describe("stored channels", () => {
  it.effect("A channel is served on each node at once, and so are its changes and its end.", () =>
    Effect.gen(function*() {
      const { serving } = yield* nodes
      const [one, other] = [yield* serving(), yield* serving()]
      assert.strictEqual(yield* statusOf(arrive(other, 1)), 404)
      const made = yield* post(one, "/channels", discord)
      assert.strictEqual(made.status, 201, made.text)
      assert.deepInclude(made.json as object, {
        id: "discord",
        platform: "discord",
        component_id: "desk",
        access: "open",
        declared: false,
        settings: texts,
        secrets: ["token"],
        events_path: "/channels/discord/events"
      })
      assert.strictEqual(yield* statusOf(arrive(other, 1)), 200)
      assert.strictEqual(yield* statusOf(arrive(other, 2, otherKeys)), 401)
      const changed = yield* send(other, "PATCH", "/channels/discord", { settings: { public_key: hexOf(otherKeys) } })
      assert.strictEqual(changed.status, 200, changed.text)
      assert.strictEqual(yield* statusOf(arrive(one, 2, otherKeys)), 200)
      assert.strictEqual(yield* statusOf(arrive(one, 3)), 401)
      const waiting = at((yield* get(other, "/channels/discord")).json, "health", "last_event_at")
      assert.isNumber(waiting)
      assert.strictEqual(yield* statusOf(ask(one, "/channels/discord", { method: "DELETE" })), 204)
      assert.strictEqual(yield* statusOf(arrive(other, 4, otherKeys)), 404)
      failed(yield* get(other, "/channels/discord"), 404, "NOT_FOUND")
    }))

  it.effect("No response, no log line and no row has the secrets.", () =>
    Effect.gen(function*() {
      const { serving, store } = yield* nodes
      const server = yield* serving()
      const responses = [
        yield* post(server, "/channels", discord),
        yield* get(server, "/channels"),
        yield* get(server, "/channels/discord"),
        yield* send(server, "PATCH", "/channels/discord", { when_busy: "interrupt" }),
        yield* send(server, "PATCH", "/channels/discord", { settings: { token: "wrong" } })
      ].map(({ text }) => text)
      const row = Option.getOrThrow(yield* store.find("discord"))
      assert.match(row.secrets, /^sealed:1:/)
      const seen = JSON.stringify([responses, server.logs, row])
      assert.notInclude(seen, token)
    }))

  it.effect("What cannot be used is refused with a sentence, and nothing is stored.", () =>
    Effect.gen(function*() {
      const { serving } = yield* nodes
      const declared = Channel.make({ id: "chat", agent: "desk" }, MemoryPlatform.make().adapter)
      const server = yield* serving({ declared: { channels: [declared] } })
      const refused = (fields: object) => post(server, "/channels", { ...discord, ...fields })
      failed(yield* refused({ platform: "pager" }), 422, "VALIDATION_ERROR", /There is no platform 'pager'/)
      failed(yield* refused({ settings: { ...texts, token: "x" } }), 422, "VALIDATION_ERROR", /token of Discord/)
      const address = { ...texts, token, api_url: "http://169.254.169.254" }
      failed(yield* refused({ settings: address }), 422, "VALIDATION_ERROR", /no setting 'api_url'/)
      failed(yield* refused({ component_id: "dask" }), 404, "NOT_FOUND", /Is 'desk' meant/)
      failed(yield* refused({ id: "chat" }), 409, "CONFLICT", /There is a channel with the id 'chat'/)
      failed(yield* refused({ id: "../x" }), 422, "VALIDATION_ERROR")
      assert.lengthOf(list((yield* get(server, "/channels")).json, "data"), 1)
      failed(yield* send(server, "PATCH", "/channels/chat", { when_busy: "reject" }), 409, "CONFLICT", /declares/)
      failed(yield* ask(server, "/channels/chat", { method: "DELETE" }), 409, "CONFLICT", /declares/)
    }))

  it.effect("Without a key, no channel is stored, and one that is stored already waits for its key.", () =>
    Effect.gen(function*() {
      const { serving } = yield* nodes
      const keyless = yield* serving({ secretsKey: undefined })
      failed(yield* post(keyless, "/channels", discord), 409, "CONFLICT", /SECRETS_KEY: 32 bytes in base64/)
      const sealing = yield* serving()
      assert.strictEqual(yield* statusOf(post(sealing, "/channels", discord)), 201)
      assert.strictEqual(yield* statusOf(arrive(keyless, 1)), 503)
      const tested = yield* post(keyless, "/channels/discord/test", {})
      assert.match(String(at(tested.json, "error", "message")), /which SECRETS_KEY does not have/)
      assert.strictEqual(yield* statusOf(get(keyless, "/channels/discord")), 200)
      assert.strictEqual(yield* statusOf(arrive(sealing, 1)), 200)
    }))

  it.effect("A caller who sees only own data makes no channel, and one without the scope of the component neither.", () =>
    Effect.gen(function*() {
      const { serving } = yield* nodes
      const server = yield* serving({ authorization: yield* closed })
      const as = (scopes: ReadonlyArray<string>, path = "/channels", method = "POST", body: object = discord) =>
        Effect.flatMap(bearerOf("ann", ...scopes), (bearer) => {
          const headers = { "content-type": "application/json" }
          return call(server, { path, init: { method, headers, body: JSON.stringify(body) } }, bearer)
        })
      failed(yield* as(["channels:write", "agents:run"]), 403, "FORBIDDEN", /an admin of it makes and changes/)
      failed(yield* as(["agents:run"]), 403, "FORBIDDEN")
      const made = yield* as(["platform:admin"])
      assert.strictEqual(made.status, 201, made.text)
      failed(yield* as(["channels:write", "agents:run"], "/channels/discord", "PATCH", {}), 403, "FORBIDDEN")
      failed(yield* as(["channels:delete"], "/channels/discord", "DELETE", {}), 403, "FORBIDDEN")
    }))
})
