// The modes of a service and where it looks for credentials.
import { assert, describe, it } from "@effect/vitest"
import { ServiceAccountStore } from "@svc-runtime/auth"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { AuthorizationOptions } from "@svc-runtime/http/authorization/AuthorizationOptions"
import * as TestDatabase from "@svc-runtime/test-support/TestDatabase"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as Tokens from "@svc-runtime/test-support/Tokens"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ask, at, failed, serve } from "../Wire.ts"
import {
  agents,
  call,
  claims as closedClaims,
  closed,
  everything,
  mint,
  seed,
  serveClosed,
  theIssuer,
  token
} from "./Closed.ts"

Tier.oneIn(2)

const securityKey = "the key of the service"

const serveWith = (authorization: AuthorizationOptions) =>
  Effect.flatMap(agents, (agents) => serve({ agents, authorization }))

const modeOf = (server: Parameters<typeof call>[0]) =>
  Effect.map(call(server, { path: "/info" }), ({ json }) => at(json, "auth_mode"))

const agentsOf = (server: Parameters<typeof call>[0], init: RequestInit = {}) => ask(server, "/agents", init)

describe("scopes in another claim", () => {
  it.effect("a refused token without the claim of scopes says which claim was read, and which it has", () =>
    Effect.gen(function*() {
      const issuer = yield* theIssuer
      const server = yield* serveClosed()
      const refusal = (given: object) =>
        Effect.gen(function*() {
          const { scopes: _, ...claims } = closedClaims("ann", [])
          return yield* call(server, { path: "/agents" }, yield* issuer.sign({ ...claims, ...given } as never))
        })
      const missing = "Insufficient permissions. Required scope(s): agents:read"
      const named = ": JWT_SCOPES_CLAIM names the claim with the scopes"
      for (
        const [given, detail] of [
          [{ scope: "agents:read" }, `${missing}. The token has no claim 'scopes', but a claim 'scope'${named}`],
          [{}, `${missing}. The token has no claim 'scopes'${named}`],
          [{ scopes: ["agents:run"], scope: "agents:read" }, missing]
        ] as const
      ) failed(yield* refusal(given), 403, "FORBIDDEN", detail)
    }))
})

describe("an open service", () => {
  it.effect("an open service says so, and accepts every caller with any credential", () =>
    Effect.gen(function*() {
      const server = yield* serveWith({})
      assert.strictEqual(yield* modeOf(server), "none")
      for (const authorization of ["Bearer x", "Bearer", "x", "Basic eA==", "svc_pat_x", "Bearer svc_pat_x"]) {
        assert.strictEqual((yield* agentsOf(server, { headers: { authorization } })).status, 200, authorization)
      }
    }))

  it.effect("an open service does not mint, because anyone could get a lasting name", () =>
    Effect.gen(function*() {
      const server = yield* serveWith({})
      const init = { method: "POST", headers: { "content-type": "application/json" }, body: "{\"name\":\"bot\"}" }
      const answer = yield* call(server, { path: "/service-accounts", init })
      failed(answer, 401, "UNAUTHENTICATED", "JWT authentication is required to mint a service account.")
      assert.strictEqual((yield* call(server, { path: "/service-accounts?page=1&limit=1" })).status, 200)
    }))

  it.effect("an open service limits an account to its scopes and data", () =>
    Effect.gen(function*() {
      const keyed = yield* serve({
        agents: yield* agents,
        authorization: { securityKey },
        accounts: TestDatabase.layer
      })
      const bot = yield* mint(keyed, securityKey, { name: "bot", scopes: ["agents:run", "sessions:read"] })
      const context = yield* Layer.build(TestDatabase.layer)
      const shared = Layer.succeedContext(context)
      const first = yield* serve({ agents: yield* agents, authorization: { securityKey }, accounts: shared })
      const { token } = yield* mint(first, securityKey, { name: "bot", scopes: ["agents:run", "sessions:read"] })
      const open = yield* serve({ agents: yield* agents, accounts: shared })
      failed(yield* call(open, { path: "/agents" }, token), 403, "FORBIDDEN", /Required scope\(s\): agents:read/)
      yield* seed(open)
      assert.strictEqual((yield* call(open, { path: "/sessions/anns" }, token)).status, 404)
      assert.strictEqual(
        (yield* call(open, { path: "/sessions/anns" }, bot.token)).status,
        200,
        "unknown here: anonymous"
      )
    }))
})

describe("a service with a security key", () => {
  it.effect("a service with a security key requires it, and nothing else", () =>
    Effect.gen(function*() {
      const server = yield* serveWith({ securityKey })
      assert.strictEqual(yield* modeOf(server), "security_key")
      failed(yield* call(server, { path: "/agents" }), 401, "UNAUTHENTICATED", "Authorization header required")
      for (const wrong of ["x", `${securityKey}x`, securityKey.slice(0, -1), securityKey.toUpperCase()]) {
        failed(yield* call(server, { path: "/agents" }, wrong), 401, "UNAUTHENTICATED", "Invalid authentication token")
      }
      assert.strictEqual((yield* call(server, { path: "/agents" }, securityKey)).status, 200)
      assert.strictEqual((yield* agentsOf(server, { headers: { authorization: securityKey } })).status, 200)
      assert.strictEqual(
        (yield* agentsOf(server, { headers: { authorization: `bEaReR   ${securityKey}` } })).status,
        200
      )
    }))

  it.effect("a client with many wrong keys has to wait, and the right key is accepted at once", () =>
    Effect.gen(function*() {
      const server = yield* serveWith({ securityKey })
      const statuses = yield* Effect.forEach(
        Array.from({ length: 25 }, (_, place) => `${securityKey}${place}`),
        (wrong) => Effect.map(call(server, { path: "/agents" }, wrong), ({ status }) => status)
      )
      assert.deepStrictEqual(statuses, [
        ...Array.from({ length: 20 }, () => 401),
        ...Array.from({ length: 5 }, () => 429)
      ])
      assert.strictEqual((yield* call(server, { path: "/agents" }, securityKey)).status, 200)
    }))

  it.effect("a service with a security key accepts no tokens, however good", () =>
    Effect.gen(function*() {
      const server = yield* serveWith({ securityKey })
      const answer = yield* call(server, { path: "/agents" }, yield* token("ann", ...everything))
      failed(answer, 401, "UNAUTHENTICATED", "Invalid authentication token")
    }))

  it.effect("the holder of the security key acts for every user, and sees everything", () =>
    Effect.gen(function*() {
      const server = yield* serveWith({ securityKey })
      yield* seed(server, securityKey)
      const answer = yield* call(server, { path: "/sessions/anns" }, securityKey)
      assert.strictEqual(at(answer.json, "user_id"), "ann")
    }))
})

describe("a service with keys for tokens", () => {
  it.effect("a service with keys for tokens says so, and the security key counts for nothing", () =>
    Effect.gen(function*() {
      const server = yield* serveWith({ ...(yield* closed), securityKey })
      assert.strictEqual(yield* modeOf(server), "jwt")
      failed(yield* call(server, { path: "/agents" }, securityKey), 401, "UNAUTHENTICATED", /^Invalid token: /)
    }))

  it.effect("a service without AUTHORIZATION checks tokens and isolates users, but requires no scope", () =>
    Effect.gen(function*() {
      const server = yield* serveWith({ ...(yield* closed), enabled: false })
      failed(yield* call(server, { path: "/agents" }), 401, "UNAUTHENTICATED", "Authorization header missing")
      yield* seed(server, yield* token("ann"))
      assert.strictEqual((yield* call(server, { path: "/sessions/anns" }, yield* token("ann"))).status, 200)
      assert.strictEqual((yield* call(server, { path: "/sessions/anns" }, yield* token("bob"))).status, 404)
      const bot = yield* mint(server, yield* token("root", "platform:admin"), { name: "bot", scopes: ["agents:run"] })
      failed(yield* call(server, { path: "/agents" }, bot.token), 403, "FORBIDDEN", /agents:read/)
    }))

  it.effect("the token is read from a cookie, or from both places, when configured so", () =>
    Effect.gen(function*() {
      const options = { ...(yield* closed), cookieName: "sid" }
      const good = yield* token("ann", "agents:read")
      const inCookie = { headers: { cookie: `other=1; sid=${good}` } }
      const inHeader = { headers: { authorization: `Bearer ${good}` } }
      const wrongHeader = { headers: { authorization: "Bearer x", cookie: `sid=${good}` } }
      const [header, cookie, both] = [
        yield* serveWith(options),
        yield* serveWith({ ...options, tokenSource: "cookie" }),
        yield* serveWith({ ...options, tokenSource: "both" })
      ]
      assert.strictEqual((yield* agentsOf(header, inHeader)).status, 200)
      failed(yield* agentsOf(header, inCookie), 401, "UNAUTHENTICATED", "Authorization header missing")
      assert.strictEqual((yield* agentsOf(cookie, inCookie)).status, 200)
      failed(yield* agentsOf(cookie, inHeader), 401, "UNAUTHENTICATED", "JWT cookie 'sid' missing")
      assert.strictEqual((yield* agentsOf(both, inCookie)).status, 200)
      assert.strictEqual((yield* agentsOf(both, inHeader)).status, 200)
      failed(yield* agentsOf(both, wrongHeader), 401, "UNAUTHENTICATED", /^Invalid token/)
      const missing = "JWT token missing from both Authorization header and 'sid' cookie"
      failed(yield* agentsOf(both), 401, "UNAUTHENTICATED", missing)
    }))

  it.effect("the token is read from another header when configured so", () =>
    Effect.gen(function*() {
      const server = yield* serveWith({ ...(yield* closed), tokenHeader: "X-Token" })
      const good = yield* token("ann", "agents:read")
      assert.strictEqual((yield* agentsOf(server, { headers: { "x-token": good } })).status, 200)
      failed(yield* call(server, { path: "/agents" }, good), 401, "UNAUTHENTICATED", "Authorization header missing")
    }))

  it.effect("two headers are read as one invalid credential", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const headers = new Headers()
      headers.append("authorization", `Bearer ${yield* token("ann", "agents:read")}`)
      headers.append("authorization", "Bearer x")
      failed(yield* agentsOf(server, { headers }), 401, "UNAUTHENTICATED", /^Invalid token: /)
    }))
})

describe("the internal token", () => {
  const internalToken = "what the service sends to itself"

  it.effect("the internal token can run due jobs, and is isolated as a user of its own", () =>
    Effect.gen(function*() {
      const server = yield* serveWith({ ...(yield* closed), internalToken })
      assert.strictEqual((yield* call(server, { path: "/agents" }, internalToken)).status, 200)
      failed(yield* call(server, { path: "/sessions" }, internalToken), 403, "FORBIDDEN", /sessions:read/)
      yield* seed(server, internalToken, "job")
      const admin = yield* token("root", "platform:admin")
      const made = yield* call(server, { path: "/sessions/jobs" }, admin)
      assert.strictEqual(at(made.json, "user_id"), "__scheduler__")
      yield* seed(server, yield* token("ann", "agents:run"))
      const foreign = yield* call(server, { path: "/agents/assistant/runs?session_id=anns" }, internalToken)
      assert.strictEqual(foreign.status, 404)
    }))

  it.effect("the internal token works beside the security key, and mints nothing beyond its scopes", () =>
    Effect.gen(function*() {
      const server = yield* serveWith({ securityKey, internalToken })
      assert.strictEqual((yield* call(server, { path: "/sessions" }, internalToken)).status, 200)
      const init = (scope: string) => ({
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name: "bot", scopes: [scope] })
      })
      const beyond = yield* call(server, { path: "/service-accounts", init: init("sessions:read") }, internalToken)
      failed(beyond, 403, "FORBIDDEN", "Cannot grant scope(s) you do not hold: sessions:read")
      const within = yield* call(server, { path: "/service-accounts", init: init("agents:run") }, internalToken)
      assert.strictEqual(within.status, 201)
    }))

  it.effect("the internal token means nothing on an open service", () =>
    Effect.gen(function*() {
      const server = yield* serveWith({ internalToken })
      yield* seed(server, internalToken)
      assert.strictEqual(at((yield* call(server, { path: "/sessions/anns" })).json, "user_id"), "ann")
    }))
})

describe("failing tokens of accounts", () => {
  it.effect("twenty failing tokens in a minute are refused with 429, and a good one is never delayed", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const bot = yield* mint(server, yield* token("root", "platform:admin"), { name: "bot", scopes: ["agents:read"] })
      const wrong = (n: number) => call(server, { path: "/agents" }, `svc_pat_${n}`)
      for (let n = 0; n < 20; n++) {
        failed(yield* wrong(n), 401, "UNAUTHENTICATED", "Invalid or expired service account token")
      }
      failed(yield* wrong(20), 429, "TOO_MANY_REQUESTS", "Too many failed authentication attempts")
      assert.strictEqual((yield* call(server, { path: "/agents" }, bot.token)).status, 200)
      yield* TestClock.adjust("60 seconds")
      failed(yield* wrong(21), 401, "UNAUTHENTICATED")
    }))

  it.effect("accounts that cannot be read are a 503, and tokens of users are not affected", () =>
    Effect.gen(function*() {
      const down = Effect.fail(new StorageUnavailable({ cause: "down" }))
      const accounts = Layer.mock(ServiceAccountStore, { findByHash: () => down })
      const server = yield* serveClosed({ accounts })
      for (let n = 0; n < 30; n++) {
        const answer = yield* call(server, { path: "/agents" }, "svc_pat_x")
        failed(answer, 503, "SERVICE_UNAVAILABLE", "Authentication is temporarily unavailable")
      }
      assert.strictEqual((yield* call(server, { path: "/agents" }, yield* token("ann", "agents:read"))).status, 200)
    }))
})

describe("service accounts without AUTHORIZATION", () => {
  it.effect("accounts are created, listed and revoked by tokens with the scopes, as with AUTHORIZATION", () =>
    Effect.gen(function*() {
      const server = yield* serveWith({ ...(yield* closed), enabled: false })
      const admin = yield* token("root", "platform:admin")
      const bot = yield* mint(server, admin, { name: "bot", scopes: ["agents:run"] })
      const one = { path: `/service-accounts/${bot.id}`, init: { method: "DELETE" } }
      const body = JSON.stringify({ name: "mine", scopes: ["agents:run"], never_expires: true })
      const make = {
        path: "/service-accounts",
        init: { method: "POST", headers: { "content-type": "application/json" }, body }
      }
      const stranger = yield* token("mallory", "agents:run")
      const missing = (scope: string) => `Insufficient permissions. Required scope(s): service_accounts:${scope}`
      failed(yield* call(server, { path: "/service-accounts" }, stranger), 403, "FORBIDDEN", missing("read"))
      failed(yield* call(server, one, stranger), 403, "FORBIDDEN", missing("delete"))
      failed(yield* call(server, make, stranger), 403, "FORBIDDEN", missing("write"))
      const ops = yield* token("ops", "service_accounts:read", "service_accounts:write", "service_accounts:delete")
      assert.strictEqual((yield* call(server, { path: "/service-accounts" }, ops)).status, 200)
      assert.strictEqual((yield* call(server, one, ops)).status, 204)
    }))
})

describe("browsers", () => {
  it.effect("a browser may read why it was refused, and preflights need no token", () =>
    Effect.gen(function*() {
      const origin = "http://localhost:3000"
      const server = yield* serveClosed({ corsOrigins: [origin] })
      const refused = yield* agentsOf(server, { headers: { origin } })
      assert.strictEqual(refused.status, 401)
      assert.strictEqual(refused.headers.get("access-control-allow-origin"), origin)
      const preflight = yield* agentsOf(server, {
        method: "OPTIONS",
        headers: { origin, "access-control-request-method": "GET", "access-control-request-headers": "authorization" }
      })
      assert.strictEqual(preflight.status, 204)
    }))

  it.effect("a caller without a credential does not learn by OPTIONS which paths exist", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const own = "https://svc.test"
      const preflight = { "access-control-request-method": "POST" }
      for (const path of ["/agents", "/sessions/x/runs", "/nothing"]) {
        for (const headers of [{}, preflight, { ...preflight, host: "svc.test", origin: own }]) {
          const answer = yield* call(server, { path, init: { method: "OPTIONS", headers } })
          failed(answer, 401, "UNAUTHENTICATED")
          assert.isNull(answer.headers.get("allow"), path)
        }
      }
    }))

  it.effect("a browser gets the documentation without a token", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      for (const path of ["/docs", "/redoc", "/openapi.json", "/docs/oauth2-redirect", "/health/", "/info?x=1"]) {
        assert.strictEqual((yield* call(server, { path })).status, 200, path)
      }
    }))
})

describe("excluded routes", () => {
  it.effect("excluded routes replace the routes that are open by default, and a caller there has no identity", () =>
    Effect.gen(function*() {
      const server = yield* serveWith({ ...(yield* closed), excludedRoutes: ["/agents", "/sessions/*"] })
      assert.strictEqual((yield* call(server, { path: "/agents" })).status, 200)
      failed(yield* call(server, { path: "/health" }), 401, "UNAUTHENTICATED")
      failed(yield* call(server, { path: "/sessions" }), 401, "UNAUTHENTICATED")
      failed(yield* call(server, { path: "/sessions/anns/runs" }), 401, "UNAUTHENTICATED")
      yield* seed(server, yield* token("ann", "agents:run"))
      assert.strictEqual((yield* call(server, { path: "/sessions/anns" })).status, 404)
    }))
})

describe("secrets", () => {
  it.effect("secrets reach no log, whatever the level, and no response", () =>
    Effect.gen(function*() {
      const issuer = yield* theIssuer
      const server = yield* serveClosed()
      const [good, bad] = [yield* token("ann", ...everything), `${yield* token("ann")}x`]
      const bot = yield* mint(server, yield* token("root", "platform:admin"), { name: "bot", scopes: everything })
      const answers = yield* Effect.forEach(
        [good, bad, bot.token, "svc_pat_guess", Tokens.forge({ alg: "none" }, {})],
        (bearer) => Effect.forEach(["/agents", "/sessions", "/unknown"], (path) => call(server, { path }, bearer))
      )
      const texts = JSON.stringify(server.logs) + answers.flat().map(({ text }) => text).join("\n")
      for (const secret of [good, bad, bot.token, "svc_pat_guess", issuer.publicPem.slice(30, 90)]) {
        assert.notInclude(texts, secret)
        assert.notInclude(texts, secret.slice(-40))
      }
    }))
})
