// The MCP endpoint with access tokens of an external authorization server.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { closed, mint, serveClosed, token } from "../authorization/Closed.ts"
import { authorized, call, initialize, open, post, request, toolNames } from "../mcp/Mcp.ts"
import { at, column, failed, get, second } from "../Wire.ts"
import * as Issuer from "./Issuer.ts"
import { oauthOf, origin, resource, serveProtected } from "./Protected.ts"

Tier.oneIn(6)

const metadataUrl = `${origin}/.well-known/oauth-protected-resource/mcp`

const served = Effect.gen(function*() {
  const issuer = yield* Issuer.make()
  return { issuer, server: yield* serveProtected({ server: issuer.url }) }
})

const run = request("tools/call", { name: "run_agent", arguments: { agent_id: "assistant", message: "hi" } })

describe("metadata of the resource", () => {
  it.effect("the document is public and the same at the path of the endpoint and at the root", () =>
    Effect.gen(function*() {
      const issuer = yield* Issuer.make()
      const server = yield* serveProtected({ server: issuer.url }, { authorization: yield* closed })
      const answers = [
        yield* get(server, "/.well-known/oauth-protected-resource/mcp"),
        yield* get(server, "/.well-known/oauth-protected-resource")
      ]
      for (const { headers, status, text } of answers) {
        assert.strictEqual(status, 200)
        assert.strictEqual(
          text,
          `{"resource":"${resource}","authorization_servers":["${issuer.url}"],` +
            `"scopes_supported":[],"bearer_methods_supported":["header"]}`
        )
        assert.strictEqual(headers.get("cache-control"), "public, max-age=3600")
        assert.strictEqual(headers.get("access-control-allow-origin"), "*")
      }
    }))

  it.effect("clients that look here for the authorization server are sent to the issuer", () =>
    Effect.gen(function*() {
      const { issuer, server } = yield* served
      const paths = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]
      for (const path of paths) {
        const { headers, status } = yield* get(server, path)
        assert.deepStrictEqual([status, headers.get("location")], [307, `${issuer.url.slice(0, -1)}${path}`])
      }
    }))

  it.effect("a path that does not exist is a 404 without a credential, because clients try several", () =>
    Effect.gen(function*() {
      const issuer = yield* Issuer.make()
      const server = yield* serveProtected({ server: issuer.url }, { authorization: yield* closed })
      assert.strictEqual((yield* get(server, "/.well-known/oauth-authorization-server/mcp")).status, 404)
    }))

  it.effect("/info names the resource and its authorization server", () =>
    Effect.gen(function*() {
      const { issuer, server } = yield* served
      assert.deepStrictEqual(at((yield* get(server, "/info")).json, "mcp"), {
        enabled: true,
        path: "/mcp",
        oauth: { authorization_servers: [issuer.url], resource }
      })
    }))

  it.effect("the metadata does not exist without OAuth", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      failed(
        yield* get(server, "/.well-known/oauth-protected-resource/mcp"),
        401,
        "UNAUTHENTICATED",
        "Authorization header missing"
      )
    }))
})

describe("challenges", () => {
  it.effect("a request without a credential gets an empty 401 that names the metadata", () =>
    Effect.gen(function*() {
      const { server } = yield* served
      for (const method of ["POST", "GET", "DELETE"]) {
        const response = yield* server.fetch("/mcp", { method })
        assert.strictEqual(response.status, 401)
        assert.strictEqual(yield* Effect.promise(() => response.text()), "")
        assert.strictEqual(response.headers.get("www-authenticate"), `Bearer resource_metadata="${metadataUrl}"`)
      }
    }))

  it.effect("a challenge names the scopes of MCP_OAUTH_SCOPES", () =>
    Effect.gen(function*() {
      const issuer = yield* Issuer.make()
      const server = yield* serveProtected({ server: issuer.url, scopes: ["agents:run", "config:read"] })
      assert.strictEqual(
        (yield* post(server, initialize())).headers.get("www-authenticate"),
        `Bearer resource_metadata="${metadataUrl}", scope="agents:run config:read"`
      )
    }))

  it.effect.each<readonly [string, Record<string, unknown>, string]>([
    ["of another resource", { aud: "https://other.example/mcp" }, "Invalid token audience"],
    ["of the service and not of its endpoint", { aud: origin }, "Invalid token audience"],
    ["without an audience", { aud: undefined }, "Token is missing the 'aud' claim"],
    ["of another issuer", { iss: "https://other.example/" }, "does not come from the issuer"],
    ["that has expired", { exp: second - 60 }, "Token has expired"],
    ["that never expires", { exp: undefined }, "has to expire"],
    ["of a service account", { sub: "sa:bot" }, "Invalid token subject"],
    ["of a client of the service's own server", { sub: "__oauth__:client" }, "Invalid token subject"],
    ["of a reserved client", { sub: undefined, client_id: "sa:bot" }, "Invalid token subject"],
    ["without a user and a client", { sub: undefined }, "Invalid token subject"]
  ])("a token %s is refused", ([, claims, reason]) =>
    Effect.gen(function*() {
      const { issuer, server } = yield* served
      const bearer = yield* issuer.sign({ sub: "ann", aud: resource, scope: "agents:run", ...claims })
      const answer = yield* post(server, initialize(), { headers: authorized(bearer) })
      assert.strictEqual(answer.status, 401)
      assert.strictEqual(at(answer.json, "error"), "invalid_token")
      const challenge = answer.headers.get("www-authenticate") ?? ""
      assert.match(challenge, /^Bearer error="invalid_token", error_description="[^"]*", resource_metadata="[^"]*"$/)
      assert.include(challenge, reason)
      assert.include(challenge, `resource_metadata="${metadataUrl}"`)
    }))

  it.effect("a token of a service account that does not exist is an invalid token", () =>
    Effect.gen(function*() {
      const { server } = yield* served
      const answer = yield* post(server, initialize(), { headers: authorized("svc_pat_0000") })
      assert.deepStrictEqual(answer.json, {
        error: "invalid_token",
        error_description: "Invalid or expired service account token"
      })
    }))
})

describe("callers", () => {
  it.effect("a token runs what its scopes allow, under its user", () =>
    Effect.gen(function*() {
      const { issuer, server } = yield* served
      const bearer = yield* issuer.sign({ sub: "ann", aud: resource, scope: "agents:run sessions:read" })
      const session = yield* open(server, { bearer })
      yield* call(session, "run_agent", { agent_id: "assistant", message: "hi", session_id: "s1" })
      const sessions = yield* call(session, "get_sessions")
      assert.deepStrictEqual(column(at(sessions, "structuredContent", "data"), "user_id"), ["ann"])
    }))

  it.effect("a token without a user belongs to its client", () =>
    Effect.gen(function*() {
      const { issuer, server } = yield* served
      const bearer = yield* issuer.sign({ client_id: "robot", aud: [resource], scope: "agents:run sessions:read" })
      const session = yield* open(server, { bearer })
      yield* call(session, "run_agent", { agent_id: "assistant", message: "hi", session_id: "s1" })
      const sessions = yield* call(session, "get_sessions")
      assert.deepStrictEqual(column(at(sessions, "structuredContent", "data"), "user_id"), ["robot"])
    }))

  it.effect("a call without its scope is a 403 that names this scope and those of the token", () =>
    Effect.gen(function*() {
      const { issuer, server } = yield* served
      const bearer = yield* issuer.sign({ sub: "ann", aud: resource, scope: "config:read" })
      const session = yield* open(server, { bearer })
      assert.lengthOf(yield* toolNames(session), 8)
      const answer = yield* post(server, run, { headers: session.headers })
      assert.strictEqual(answer.status, 403)
      assert.strictEqual(at(answer.json, "error"), "insufficient_scope")
      assert.strictEqual(
        answer.headers.get("www-authenticate"),
        "Bearer error=\"insufficient_scope\", error_description=\"This request requires the scope agents:run\", " +
          `resource_metadata="${metadataUrl}", scope="config:read agents:run"`
      )
    }))

  it.effect("a call without its scope that asks for progress is a 403 too", () =>
    Effect.gen(function*() {
      const { issuer, server } = yield* served
      const session = yield* open(server, { bearer: yield* issuer.sign({ sub: "ann", aud: resource }) })
      const params = { ...run.params, _meta: { progressToken: 1 } }
      assert.strictEqual((yield* post(server, { ...run, params }, { headers: session.headers })).status, 403)
    }))

  it.effect("REST refuses access tokens, also on a service without authentication", () =>
    Effect.gen(function*() {
      const issuer = yield* Issuer.make()
      const server = yield* serveProtected({ server: issuer.url }, { authorization: yield* closed })
      const bearer = yield* issuer.sign({ sub: "ann", aud: resource, scope: "agents:read" })
      const response = yield* server.fetch("/agents", { headers: authorized(bearer) })
      assert.strictEqual(response.status, 401)
    }))

  it.effect("tokens and service accounts of the service are accepted as before", () =>
    Effect.gen(function*() {
      const issuer = yield* Issuer.make()
      const server = yield* serveProtected({ server: issuer.url }, { authorization: yield* closed })
      const { token: account } = yield* mint(server, yield* token("root", "platform:admin"), {
        name: "bot",
        scopes: ["config:read"]
      })
      for (const bearer of [yield* token("ann", "config:read"), account]) {
        const session = yield* open(server, { bearer })
        assert.deepStrictEqual(yield* toolNames(session), ["get_platform_config"])
      }
    }))

  it.effect("a service without authentication refuses callers of its endpoint without a token of the issuer", () =>
    Effect.gen(function*() {
      const { server } = yield* served
      assert.strictEqual((yield* get(server, "/agents")).status, 200)
      const answer = yield* post(server, initialize(), { headers: authorized("anything") })
      assert.strictEqual(answer.status, 401)
    }))
})

describe("keys of the issuer", () => {
  it.effect("the keys are read once, where its OpenID configuration is if it has no other metadata", () =>
    Effect.gen(function*() {
      const issuer = yield* Issuer.make({ metadataPath: "/.well-known/openid-configuration" })
      const server = yield* serveProtected({ server: issuer.url })
      for (const sub of ["ann", "bob"]) {
        yield* open(server, { bearer: yield* issuer.sign({ sub, aud: resource }) })
      }
      assert.deepStrictEqual(issuer.requested, [
        "/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration",
        "/keys"
      ])
    }))

  it.effect("metadata of another issuer is refused, and logged once", () =>
    Effect.gen(function*() {
      const issuer = yield* Issuer.make({ issuer: "https://other.example/" })
      const server = yield* serveProtected({ server: issuer.url })
      const bearer = yield* issuer.sign({ sub: "ann", aud: resource })
      for (let times = 0; times < 3; times++) {
        assert.strictEqual((yield* post(server, initialize(), { headers: authorized(bearer) })).status, 401)
        yield* TestClock.adjust("11 seconds")
      }
      const errors = server.logs.filter(({ level }) => level === "ERROR").map(({ message }) => message)
      assert.lengthOf(errors, 1)
      assert.include(errors[0], "The keys of MCP_OAUTH cannot be read")
    }))

  it.effect("tokens with unknown keys do not make the service ask again each time", () =>
    Effect.gen(function*() {
      const { issuer, server } = yield* served
      yield* open(server, { bearer: yield* issuer.sign({ sub: "ann", aud: resource }) })
      const before = issuer.requested.length
      const other = yield* Issuer.make({ keyId: "unknown" })
      for (let times = 0; times < 20; times++) {
        const bearer = yield* other.sign({ iss: issuer.url, sub: `u${times}`, aud: resource })
        assert.strictEqual((yield* post(server, initialize(), { headers: authorized(bearer) })).status, 401)
      }
      assert.strictEqual(issuer.requested.length, before)
    }))
})

describe("settings", () => {
  it("a setting that cannot work is refused with what to set", () => {
    const issuer = "https://issuer.example/"
    const problems: ReadonlyArray<readonly [() => unknown, RegExp]> = [
      [() => oauthOf({ server: "issuer.example" }), /MCP_OAUTH=issuer.example is not/],
      [() => oauthOf({ server: "http://issuer.example/" }), /is not the https address/],
      [() => oauthOf({ server: issuer }, "http://svc.example"), /needs an https address in PUBLIC_URL/],
      [() => oauthOf({ server: issuer }, "https://svc.example/path"), /PUBLIC_URL without a path/],
      [() => oauthOf({ server: issuer, algorithm: "HS256" }), /no algorithm with public keys/],
      [() => oauthOf({ server: issuer, scopes: ["a b"] }), /is no scope/],
      [() => oauthOf({ server: "builtin" }, origin, "none"), /needs MCP_CONNECT_SECRET/],
      [() => oauthOf({ server: "builtin", connectSecret: "short" }), /at least 16 characters/]
    ]
    for (const [make, problem] of problems) assert.throws(make, problem)
    assert.isUndefined(oauthOf({}))
    assert.strictEqual(oauthOf({ server: issuer }, "https://svc.example")?.issuer, issuer)
  })
})
