// Who is calling, on a socket: by message, whatever the mode, and what may be done before and after. Real sockets, raw
// frames.
import { assert, describe, it } from "@effect/vitest"
import { ServiceAccountStore } from "@svc/auth"
import { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import * as TestServer from "@svc/testing/TestServer"
import * as Tokens from "@svc/testing/Tokens"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { AuthorizationOptions } from "../../src/authorization/AuthorizationOptions.ts"
import { claims, closed, theIssuer, token } from "../authorization/Closed.ts"
import { at, second } from "../Wire.ts"
import { open } from "./SocketClient.ts"

const serve = Effect.fnUntraced(function*(authorization: AuthorizationOptions = {}, options: TestServer.Options = {}) {
  yield* TestClock.setTime(second * 1000)
  return yield* TestServer.listen({ authorization, ...options })
})

const connect = Effect.fnUntraced(
  function*(authorization: AuthorizationOptions = {}, options: TestServer.Options = {}) {
    const client = yield* open((yield* serve(authorization, options)).url)
    const greeting = yield* client.next
    return { ...client, greeting }
  }
)

const authenticate = (token: string) => ({ action: "authenticate", token })
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

describe("the rights of a socket", () => {
  const error = (text: string) => ({ event: "error", error: text })
  const actions = [
    ["start-workflow", "Insufficient permissions to run this workflow"],
    ["continue-workflow", "Insufficient permissions to continue this workflow"],
    ["reconnect", "Insufficient permissions to reconnect to this workflow"]
  ] as const

  const as = Effect.fnUntraced(function*(path: string, ...scopes: ReadonlyArray<string>) {
    const client = yield* open((yield* serve(yield* closed)).url, path)
    yield* client.next
    yield* client.ask(authenticate(yield* token("ann", ...scopes)))
    yield* client.next
    return client.ask
  })

  it.effect("a message needs the scope to run, of all workflows or of this one, named or not", () =>
    Effect.gen(function*() {
      const none = yield* as("/workflows/ws", "agents:run", "workflows:read")
      const one = yield* as("/workflows/ws", "workflows:mine:run")
      for (const [action, refused] of actions) {
        assert.deepStrictEqual(yield* none({ action, workflow_id: "mine" }), error(refused))
        assert.deepStrictEqual(yield* none({ action }), error(refused))
        assert.deepStrictEqual(yield* one({ action, workflow_id: "other" }), error(refused))
        assert.deepStrictEqual(yield* one({ action }), error(refused))
      }
      assert.deepStrictEqual(
        yield* one({ action: "start-workflow", workflow_id: "mine" }),
        error("Workflow mine not found")
      )
    }))

  it.effect("missing fields are requested one after the other", () =>
    Effect.gen(function*() {
      const ask = yield* as("/workflows/ws", "workflows:run")
      const cases: ReadonlyArray<readonly [object, string]> = [
        [{ action: "start-workflow" }, "workflow_id is required"],
        [{ action: "start-workflow", workflow_id: "" }, "workflow_id is required"],
        [{ action: "continue-workflow" }, "workflow_id is required"],
        [{ action: "continue-workflow", workflow_id: "w" }, "run_id is required"],
        [{ action: "continue-workflow", workflow_id: "w", run_id: "r" }, "session_id is required for this action"],
        [{ action: "continue-workflow", workflow_id: "w", run_id: "r", session_id: "s" }, "Run r not found"],
        [{ action: "reconnect", run_id: "r" }, "workflow_id is required to reconnect to a workflow run"],
        [{ action: "reconnect", workflow_id: "w" }, "session_id is required to reconnect to a workflow run"],
        [{ action: "reconnect", workflow_id: "w", session_id: "s" }, "run_id is required for subscription"],
        [{ action: "reconnect", workflow_id: "w", session_id: "s", run_id: "r" }, "Run r not found"],
        [{ action: "dance" }, "Unknown action: dance"],
        [{ action: "constructor" }, "Unknown action: constructor"]
      ]
      for (const [message, expected] of cases) assert.deepStrictEqual<unknown>(yield* ask(message), error(expected))
    }))

  it.effect("a message is about the workflow of the path, unless it names another", () =>
    Effect.gen(function*() {
      const ask = yield* as("/workflows/brief/ws", "workflows:brief:run")
      assert.deepStrictEqual(yield* ask({ action: "start-workflow" }), error("Workflow brief not found"))
      assert.deepStrictEqual(
        yield* ask({ action: "start-workflow", workflow_id: "other" }),
        error("Insufficient permissions to run this workflow")
      )
    }))

  it.effect("a socket of an unrestricted caller is not narrowed", () =>
    Effect.gen(function*() {
      const ask = yield* as("/workflows/ws", "platform:admin")
      assert.deepStrictEqual(
        yield* ask({ action: "reconnect", run_id: "r" }),
        error("Run r not found in buffer or database")
      )
      assert.deepStrictEqual(
        yield* ask({ action: "continue-workflow", workflow_id: "w", run_id: "r" }),
        error("session_id is required for this action")
      )
    }))
})

describe("an invalid message", () => {
  it.effect("JSON that is not a message is answered, and the socket stays", () =>
    Effect.gen(function*() {
      const { ask } = yield* connect()
      for (const odd of [[], 7, null, "ping", { action: 7 }, { action: "ping", token: {} }]) {
        assert.strictEqual(at(yield* ask(odd), "event"), "error", JSON.stringify(odd))
      }
      assert.deepStrictEqual(yield* ask({ action: "ping" }), { event: "pong" })
    }))

  it.effect.each(["", "{", "ping", "\u0000"])(
    "a message that is not JSON, like %j, closes the socket",
    (text) =>
      Effect.gen(function*() {
        const { closed: end, send } = yield* connect()
        yield* send(text)
        assert.deepStrictEqual(yield* end, { code: 1007, reason: "Messages are JSON" })
      })
  )

  it.effect("a message that is too large closes the socket", () =>
    Effect.gen(function*() {
      const { closed: end, send } = yield* connect({}, { limits: { jsonBody: 1000 } })
      yield* send(JSON.stringify({ action: "ping", token: "x".repeat(1000) }))
      assert.strictEqual((yield* end).code, 1009)
    }))

  it.effect("A message with more JSON values than allowed is refused, and the socket stays open.", () =>
    Effect.gen(function*() {
      const { next, send } = yield* connect({}, { limits: { jsonValues: 100 } })
      yield* send(JSON.stringify({ action: "ping", token: Array.from({ length: 200 }, () => 1) }))
      assert.include(yield* next, { error: "The message has more than 100 JSON values (MAX_JSON_VALUES)" })
    }))
})
