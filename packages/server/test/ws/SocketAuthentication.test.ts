// How a socket authenticates: the greeting, the time limit, and the credentials.
import { assert, describe, it } from "@effect/vitest"
import { ServiceAccountStore } from "@svc-runtime/auth"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { AuthorizationOptions } from "@svc-runtime/http/authorization/AuthorizationOptions"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as Tokens from "@svc-runtime/test-support/Tokens"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { claims, closed, theIssuer } from "../authorization/Closed.ts"
import { at, second } from "../Wire.ts"
import { open } from "./SocketClient.ts"
import { authenticate, connect, serve } from "./Sockets.ts"

Tier.oneIn(4)

const key = "the key of the service"
const welcome = { event: "authenticated", message: "Authentication successful. You can now send commands." }

const mint = Effect.fnUntraced(function*(url: string, body: object) {
  const response = yield* Effect.promise(() =>
    fetch(`${url}/service-accounts`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
  )
  return (yield* Effect.promise(() => response.json())) as { readonly id: string; readonly token: string }
})

describe("a socket is greeted with whether it has to authenticate", () => {
  it.effect.each<readonly [string, AuthorizationOptions | "closed", boolean]>([
    ["not on an open service", {}, false],
    ["with a security key", { securityKey: key }, true],
    ["with keys for tokens", "closed", true]
  ])(
    "the greeting says whether the socket has to authenticate: %s",
    ([_, authorization, requires_auth]) =>
      Effect.gen(function*() {
        const { greeting } = yield* connect(authorization === "closed" ? yield* closed : authorization)
        assert.deepStrictEqual([at(greeting, "event"), at(greeting, "requires_auth")], ["connected", requires_auth])
        assert.isString(at(greeting, "message"))
      })
  )

  it.effect("a socket is opened on both paths, and nowhere else", () =>
    Effect.gen(function*() {
      const { url } = yield* serve(yield* closed)
      assert.strictEqual(at(yield* (yield* open(url, "/workflows/brief/ws")).next, "event"), "connected")
      const plain = yield* Effect.promise(() => fetch(`${url}/workflows/ws`))
      assert.strictEqual(plain.status, 401, "a request that is no socket passes access control like all others")
    }))

  it.effect("a request that is no socket is refused", () =>
    Effect.gen(function*() {
      const { url } = yield* serve()
      const plain = yield* Effect.promise(() => fetch(`${url}/workflows/ws`))
      assert.strictEqual(plain.status, 426)
      assert.strictEqual(plain.headers.get("upgrade"), "websocket")
    }))
})

describe("an unauthenticated socket", () => {
  it.effect.each(
    [
      [{ securityKey: key }, "bearer token"],
      ["closed", "valid JWT"]
    ] as const
  )("a message before authentication has no effect", ([authorization, what]) =>
    Effect.gen(function*() {
      const { ask } = yield* connect(authorization === "closed" ? yield* closed : authorization)
      const required = {
        event: "auth_required",
        error: `Authentication required. Send authenticate action with ${what}.`
      }
      for (const action of ["ping", "start-workflow", "continue-workflow", "reconnect", "nonsense", ""]) {
        assert.deepStrictEqual(yield* ask({ action, workflow_id: "w", run_id: "r" }), required, action)
      }
      assert.deepStrictEqual(yield* ask({}), required)
    }))

  it.effect("a socket has half a minute to authenticate", () =>
    Effect.gen(function*() {
      const { ask, closed: end } = yield* connect({ securityKey: key })
      assert.deepStrictEqual(yield* ask(authenticate("wrong")), { event: "auth_error", error: "Invalid token" })
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(yield* end, { code: 1008, reason: "Authentication timeout" })
    }))

  it.effect("a socket stays open afterwards, or where no authentication is required", () =>
    Effect.gen(function*() {
      const known = yield* connect({ securityKey: key })
      yield* known.ask(authenticate(key))
      const anybody = yield* connect()
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* known.ask({ action: "ping" }), { event: "pong" })
      assert.deepStrictEqual(yield* anybody.ask({ action: "ping" }), { event: "pong" })
    }))
})

describe("a socket authenticates", () => {
  it.effect("a socket authenticates with the security key", () =>
    Effect.gen(function*() {
      const { ask } = yield* connect({ securityKey: key })
      assert.deepStrictEqual(yield* ask({ action: "authenticate" }), {
        event: "auth_error",
        error: "Token is required"
      })
      assert.deepStrictEqual(yield* ask(authenticate("")), { event: "auth_error", error: "Token is required" })
      assert.deepStrictEqual(yield* ask(authenticate("wrong")), { event: "auth_error", error: "Invalid token" })
      assert.deepStrictEqual(yield* ask(authenticate(key)), welcome)
      assert.deepStrictEqual(yield* ask({ action: "ping" }), { event: "pong" })
    }))

  it.effect("a socket authenticates with a token, and gets the user of the token", () =>
    Effect.gen(function*() {
      const { ask, next } = yield* connect(yield* closed)
      const issuer = yield* theIssuer
      const refused = (error: string, error_type = "invalid_token") => ({ event: "auth_error", error, error_type })
      const good = claims("ann", ["workflows:run"])
      const cases: ReadonlyArray<readonly [string, object]> = [
        ["abc", refused("Invalid token: it is not a JSON Web Token")],
        [yield* issuer.sign({ ...good, exp: second - 60 }), refused("Token has expired", "expired")],
        [yield* issuer.sign({ ...good, sub: "sa:bot" }), refused("Invalid token subject")],
        [
          yield* issuer.sign({ ...good, aud: "elsewhere" }),
          refused("Invalid token audience - token not valid for this Svc instance")
        ],
        [Tokens.forge({ alg: "none" }, good), refused("Invalid token: it is not signed with RS256")]
      ]
      for (const [bearer, frame] of cases) assert.deepStrictEqual<unknown>(yield* ask(authenticate(bearer)), frame)
      assert.deepStrictEqual(yield* ask(authenticate(yield* issuer.sign(good))), welcome)
      assert.deepStrictEqual(yield* next, {
        event: "authenticated",
        message: "JWT authentication successful.",
        user_id: "ann"
      })
    }))

  it.effect("a socket authenticates with an account, until it is revoked", () =>
    Effect.gen(function*() {
      const { url } = yield* serve({ securityKey: key })
      const bot = yield* mint(url, { name: "bot" })
      const client = yield* open(url)
      yield* client.next
      const refused = { event: "auth_error", error: "Invalid or expired service account token" }
      assert.deepStrictEqual(yield* client.ask(authenticate("svc_pat_x")), refused)
      assert.deepStrictEqual(yield* client.ask(authenticate(bot.token)), welcome)
      assert.deepStrictEqual(yield* client.next, {
        event: "authenticated",
        message: "Service account authentication successful.",
        user_id: "sa:bot"
      })
      yield* Effect.promise(() =>
        fetch(`${url}/service-accounts/${bot.id}`, { method: "DELETE", headers: { authorization: `Bearer ${key}` } })
      )
      assert.deepStrictEqual(yield* client.ask(authenticate(bot.token)), refused)
    }))

  it.effect("a socket of an open service accepts any credential but an invalid token of an account", () =>
    Effect.gen(function*() {
      const { ask } = yield* connect()
      assert.deepStrictEqual(yield* ask(authenticate("anything")), welcome)
      const refused = { event: "auth_error", error: "Invalid or expired service account token" }
      assert.deepStrictEqual(yield* ask(authenticate("svc_pat_x")), refused)
    }))

  it.effect("a socket is refused after too many attempts, or while accounts cannot be read", () =>
    Effect.gen(function*() {
      const { ask } = yield* connect({ securityKey: key })
      for (let n = 0; n < 20; n++) yield* ask(authenticate("svc_pat_x"))
      assert.deepStrictEqual(yield* ask(authenticate("svc_pat_x")), {
        event: "auth_error",
        error: "Too many failed authentication attempts"
      })
      const down = Effect.fail(new StorageUnavailable({ cause: "down" }))
      const accounts = Layer.mock(ServiceAccountStore, { findByHash: () => down })
      const other = yield* connect({ securityKey: key }, { accounts })
      assert.deepStrictEqual(yield* other.ask(authenticate("svc_pat_x")), {
        event: "auth_error",
        error: "Authentication is temporarily unavailable"
      })
    }))
})
