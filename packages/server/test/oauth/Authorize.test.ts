// Registration and requests for authorization, with what attackers send.
import { assert, describe, it, layer } from "@effect/vitest"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { type Answer, ask, at, get } from "../Wire.ts"
import { origin, resource } from "./Protected.ts"
import { authorizeUrl, builtIn, redirectUri, register, registered } from "./SignIn.ts"

Tier.oneIn(6)

const errorOf = ({ headers }: Pick<Response, "headers">) => {
  const location = new URL(headers.get("location") ?? "none:")
  return { to: `${location.origin}${location.pathname}`, ...Object.fromEntries(location.searchParams) }
}

const path = (url: string) => url.replace(origin, "")

describe("metadata of the server", () => {
  it.effect("both places have the same document, whose issuer is that of the resource letter by letter", () =>
    Effect.gen(function*() {
      const server = yield* builtIn()
      const answers = [
        yield* get(server, "/.well-known/oauth-authorization-server"),
        yield* get(server, "/.well-known/openid-configuration")
      ]
      assert.strictEqual(answers[0]?.text, answers[1]?.text)
      const document = answers[0]?.json
      assert.strictEqual(at(document, "issuer"), `${origin}/`)
      const { json } = yield* get(server, "/.well-known/oauth-protected-resource/mcp")
      assert.deepStrictEqual(at(json, "authorization_servers"), [`${origin}/`])
      assert.deepStrictEqual(at(document, "code_challenge_methods_supported"), ["S256"])
      assert.strictEqual(at(document, "authorization_response_iss_parameter_supported"), true)
      assert.strictEqual(at(document, "client_id_metadata_document_supported"), true)
    }))
})

/** One service for what it refuses. */
class BuiltIn extends Context.Service<BuiltIn, TestServer.TestServer>()("@svc-runtime/server/test/BuiltIn") {
  static readonly layer = Layer.effect(BuiltIn, builtIn())
}

layer(BuiltIn.layer)("refused registrations", (it) => {
  it.effect.each<readonly [unknown, string]>([
    [{ redirect_uris: [] }, "invalid_redirect_uri"],
    [{ redirect_uris: ["http://app.example/callback"] }, "invalid_redirect_uri"],
    [{ redirect_uris: ["javascript:alert(1)"] }, "invalid_redirect_uri"],
    [{ redirect_uris: ["data:text/html,x"] }, "invalid_redirect_uri"],
    [{ redirect_uris: ["https://app.example/#a"] }, "invalid_redirect_uri"],
    [{ redirect_uris: ["https://user@app.example/"] }, "invalid_redirect_uri"],
    [{ redirect_uris: ["https://app.example/\nx"] }, "invalid_redirect_uri"],
    [{ redirect_uris: ["/callback"] }, "invalid_redirect_uri"],
    [{ redirect_uris: Array.from({ length: 21 }, () => redirectUri) }, "invalid_redirect_uri"],
    [{ redirect_uris: [redirectUri], token_endpoint_auth_method: "client_secret_post" }, "invalid_client_metadata"],
    [{ redirect_uris: [redirectUri], client_name: "x".repeat(201) }, "invalid_client_metadata"],
    [{ redirect_uris: [redirectUri], grant_types: ["implicit"] }, "invalid_client_metadata"],
    [{ redirect_uris: "x" }, "invalid_client_metadata"],
    [{}, "invalid_client_metadata"],
    [[], "invalid_client_metadata"],
    ["{", "invalid_client_metadata"]
  ])("%j is refused as %s", ([metadata, error]) =>
    Effect.gen(function*() {
      const answer = yield* register(yield* BuiltIn, metadata)
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(at(answer.json, "error"), error)
    }))

  it.effect("metadata of more than 16 KiB are 413", () =>
    Effect.gen(function*() {
      const answer = yield* register(yield* BuiltIn, { redirect_uris: [redirectUri], padding: "x".repeat(20_000) })
      assert.strictEqual(answer.status, 413, answer.text)
    }))
})

describe("registration", () => {
  it.effect("a client registers with the addresses that assistants have", () =>
    Effect.gen(function*() {
      const server = yield* builtIn()
      const redirect_uris = [
        "http://localhost/",
        "http://127.0.0.1:33418/",
        "https://claude.ai/api/mcp/auth_callback",
        "cursor://anysphere.cursor-mcp/oauth/callback"
      ]
      const answer = yield* register(server, { redirect_uris, client_name: "App", application_type: "native" })
      assert.strictEqual(answer.status, 201)
      assert.deepStrictEqual(at(answer.json, "redirect_uris"), redirect_uris)
      assert.strictEqual(at(answer.json, "token_endpoint_auth_method"), "none")
    }))

  it.effect("250 clients of one address wait for consent, and after a minute the oldest unused one makes room", () =>
    Effect.gen(function*() {
      const server = yield* builtIn()
      const used = yield* registered(server)
      assert.strictEqual((yield* server.fetch(path(authorizeUrl(used)))).status, 302)
      const unused = yield* registered(server)
      const answers: ReadonlyArray<Answer> = yield* Effect.forEach(Array.from({ length: 249 }), () => register(server))
      assert.deepStrictEqual(answers.filter(({ status }) => status !== 201).map(({ status }) => status), [503])
      assert.strictEqual(at(answers.at(-1)?.json, "error"), "temporarily_unavailable")
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual((yield* register(server)).status, 201)
      assert.strictEqual((yield* server.fetch(path(authorizeUrl(used)))).status, 302)
      assert.strictEqual((yield* server.fetch(path(authorizeUrl(unused)))).status, 400)
    }))
})

layer(BuiltIn.layer)("refused requests for authorization", (it) => {
  it.effect.each<readonly [string, Readonly<Record<string, string | undefined>>]>([
    ["an unknown client", { client_id: "unknown" }],
    ["no client", { client_id: undefined }],
    ["another redirect URI", { redirect_uri: "https://evil.example/callback" }],
    ["a longer redirect URI", { redirect_uri: `${redirectUri}/more` }],
    ["a redirect URI with a query", { redirect_uri: `${redirectUri}?a=b` }],
    ["a redirect URI with another port", { redirect_uri: "https://app.example:444/callback" }],
    ["a redirect URI in capitals", { redirect_uri: "https://APP.example/callback" }]
  ])("a request with %s is not redirected", ([, changes]) =>
    Effect.gen(function*() {
      const server = yield* BuiltIn
      const answer = yield* ask(server, path(authorizeUrl(yield* registered(server), changes)))
      assert.strictEqual(answer.status, 400)
      assert.isNull(answer.headers.get("location"))
      assert.strictEqual(at(answer.json, "error"), "invalid_request")
    }))

  it.effect.each<readonly [string, Readonly<Record<string, string | undefined>>, string]>([
    ["no PKCE", { code_challenge: undefined }, "invalid_request"],
    ["PKCE without a method", { code_challenge_method: undefined }, "invalid_request"],
    ["plain PKCE", { code_challenge_method: "plain" }, "invalid_request"],
    ["a short challenge", { code_challenge: "abc" }, "invalid_request"],
    ["another resource", { resource: "https://other.example/mcp" }, "invalid_target"],
    ["the resource with a slash", { resource: `${resource}/` }, "invalid_target"],
    ["the implicit grant", { response_type: "token" }, "unsupported_response_type"],
    ["scopes that no client gets", { scope: "platform:admin service_accounts:write" }, "invalid_scope"]
  ])("a request with %s returns to the client with an error", ([, changes, error]) =>
    Effect.gen(function*() {
      const server = yield* BuiltIn
      const response = yield* server.fetch(path(authorizeUrl(yield* registered(server), changes)))
      assert.strictEqual(response.status, 302)
      const { error_description: _, ...rest } = errorOf(response) as Record<string, string>
      assert.deepStrictEqual(rest, { to: redirectUri, error, state: "s1", iss: `${origin}/` })
    }))
})

describe("requests for authorization", () => {
  it.effect("a parameter that is there twice is refused", () =>
    Effect.gen(function*() {
      const server = yield* builtIn()
      const url = `${authorizeUrl(yield* registered(server))}&redirect_uri=https%3A%2F%2Fevil.example`
      assert.strictEqual((yield* ask(server, path(url))).status, 400)
    }))

  it.effect("the port of a loopback address may differ, and its host and path may not", () =>
    Effect.gen(function*() {
      const server = yield* builtIn()
      const client = yield* registered(server, { redirect_uris: ["http://127.0.0.1:1/callback", "http://localhost/"] })
      const statusOf = (redirect_uri: string) =>
        Effect.map(ask(server, path(authorizeUrl(client, { redirect_uri }))), ({ status }) => status)
      assert.strictEqual(yield* statusOf("http://127.0.0.1:50000/callback"), 302)
      assert.strictEqual(yield* statusOf("http://localhost:50000/"), 302)
      assert.strictEqual(yield* statusOf("http://localhost:50000/callback"), 400)
      assert.strictEqual(yield* statusOf("http://127.0.0.1:50000/other"), 400)
      assert.strictEqual(yield* statusOf("https://127.0.0.1:1/callback"), 400)
      assert.strictEqual(yield* statusOf("http://127.0.0.1.evil.example/callback"), 400)
    }))

  it.effect.runIf(Tier.isWhole)(
    "two thousand requests wait, and one more returns to its client",
    () =>
      Effect.gen(function*() {
        const server = yield* builtIn()
        const url = path(authorizeUrl(yield* registered(server)))
        yield* Effect.forEach(Array.from({ length: 2000 }), () => server.fetch(url), { discard: true })
        assert.strictEqual(at(errorOf(yield* server.fetch(url)), "error"), "temporarily_unavailable")
        yield* TestClock.adjust("11 minutes")
        assert.isUndefined(at(errorOf(yield* server.fetch(url)), "error"))
      })
  )
})
