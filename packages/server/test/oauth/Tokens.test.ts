// Codes and tokens of the built-in authorization server, with what attackers do with them.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { authorized, call, initialize, open, post } from "../mcp/Mcp.ts"
import { at, column } from "../Wire.ts"
import {
  approvedCode,
  builtIn,
  challengeOf,
  codeFields,
  form,
  refreshFields,
  registered,
  signIn,
  tokensOf,
  verifier
} from "./SignIn.ts"

const token = "/token"

const refused = (
  { headers, json, status, text }: Effect.Success<ReturnType<typeof form>>,
  error: string,
  expected = 400
) => {
  assert.deepStrictEqual([status, at(json, "error")], [expected, error], text)
  assert.strictEqual(headers.get("cache-control"), "no-store")
}

describe("codes", () => {
  it.effect("a code is exchanged for tokens that are not cached", () =>
    Effect.gen(function*() {
      const server = yield* builtIn()
      const client_id = yield* registered(server)
      const code = yield* approvedCode(server, client_id)
      const answer = yield* form(server, token, codeFields(client_id, code))
      assert.strictEqual(answer.headers.get("cache-control"), "no-store")
      assert.deepInclude(answer.json, {
        token_type: "Bearer",
        expires_in: 3600,
        scope: "agents:run teams:run workflows:run sessions:read config:read"
      })
    }))

  it.effect.each<readonly [string, Readonly<Record<string, string | undefined>>, string]>([
    ["another verifier", { code_verifier: "w".repeat(43) }, "invalid_grant"],
    ["the challenge as verifier", { code_verifier: challengeOf(verifier) }, "invalid_grant"],
    ["no verifier", { code_verifier: undefined }, "invalid_request"],
    ["another redirect URI", { redirect_uri: "https://app.example/other" }, "invalid_grant"],
    ["no redirect URI", { redirect_uri: undefined }, "invalid_request"],
    ["another client", { client_id: "other" }, "invalid_grant"],
    ["no client", { client_id: undefined }, "invalid_request"],
    ["another resource", { resource: "https://other.example/mcp" }, "invalid_target"],
    ["an unknown code", { code: "unknown" }, "invalid_grant"],
    ["an unknown grant type", { grant_type: "password" }, "unsupported_grant_type"]
  ])("a code with %s is refused, and stays valid for its client", ([, changes, error]) =>
    Effect.gen(function*() {
      const server = yield* builtIn()
      const client_id = yield* registered(server)
      const code = yield* approvedCode(server, client_id)
      refused(yield* form(server, token, { ...codeFields(client_id, code), ...changes }), error)
      tokensOf(yield* form(server, token, codeFields(client_id, code)))
    }))

  it.effect("a code that is used again is refused, and ends the tokens that it gave", () =>
    Effect.gen(function*() {
      const server = yield* builtIn()
      const { client_id, code, tokens } = yield* signIn(server)
      refused(yield* form(server, token, codeFields(client_id, code)), "invalid_grant")
      const answer = yield* post(server, initialize(), { headers: authorized(tokens.access) })
      assert.strictEqual(answer.status, 401)
      refused(yield* form(server, token, refreshFields(client_id, tokens.refresh)), "invalid_grant")
      assert.lengthOf(server.logs.filter(({ message }) => message.includes("was used twice")), 1)
    }))

  it.effect("at most one of several exchanges at the same time succeeds", () =>
    Effect.gen(function*() {
      const server = yield* builtIn()
      const client_id = yield* registered(server)
      const code = yield* approvedCode(server, client_id)
      const answers = yield* Effect.forEach(
        Array.from({ length: 8 }),
        () => form(server, token, codeFields(client_id, code)),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(answers.filter(({ status }) => status === 200), 1)
    }))

  it.effect("a code expires after five minutes", () =>
    Effect.gen(function*() {
      const server = yield* builtIn()
      const client_id = yield* registered(server)
      const code = yield* approvedCode(server, client_id)
      yield* TestClock.adjust("5 minutes")
      refused(yield* form(server, token, codeFields(client_id, code)), "invalid_grant")
    }))

  it.effect("a client that sends a secret although it has none is accepted", () =>
    Effect.gen(function*() {
      const server = yield* builtIn()
      const client_id = yield* registered(server)
      const code = yield* approvedCode(server, client_id)
      const fields = { ...codeFields(client_id, code), client_id: undefined }
      const authorization = `Basic ${Buffer.from(`${client_id}:secret`).toString("base64")}`
      tokensOf(yield* form(server, token, fields, { authorization }))
    }))
})

describe("refresh tokens", () => {
  it.effect("a refresh token is replaced, and the access token before it stays valid until it expires", () =>
    Effect.gen(function*() {
      const server = yield* builtIn()
      const { client_id, tokens } = yield* signIn(server)
      const next = tokensOf(yield* form(server, token, refreshFields(client_id, tokens.refresh)))
      assert.notStrictEqual(next.refresh, tokens.refresh)
      assert.strictEqual(next.scope, tokens.scope)
      for (const bearer of [tokens.access, next.access]) yield* open(server, { bearer })
    }))

  it.effect("a refresh token that is used again ends all tokens of its grant", () =>
    Effect.gen(function*() {
      const server = yield* builtIn()
      const { client_id, tokens } = yield* signIn(server)
      const next = tokensOf(yield* form(server, token, refreshFields(client_id, tokens.refresh)))
      refused(yield* form(server, token, refreshFields(client_id, tokens.refresh)), "invalid_grant")
      refused(yield* form(server, token, refreshFields(client_id, next.refresh)), "invalid_grant")
      for (const bearer of [tokens.access, next.access]) {
        assert.strictEqual((yield* post(server, initialize(), { headers: authorized(bearer) })).status, 401)
      }
    }))

  it.effect("another client and an access token get nothing", () =>
    Effect.gen(function*() {
      const server = yield* builtIn()
      const { client_id, tokens } = yield* signIn(server)
      refused(yield* form(server, token, refreshFields("other", tokens.refresh)), "invalid_grant")
      refused(yield* form(server, token, refreshFields(client_id, tokens.access)), "invalid_grant")
    }))
})

describe("access tokens", () => {
  it.effect("an access token expires after an hour, and is refused outside of /mcp", () =>
    Effect.gen(function*() {
      const server = yield* builtIn()
      const { tokens } = yield* signIn(server)
      assert.strictEqual((yield* server.fetch("/agents", { headers: authorized(tokens.access) })).status, 401)
      yield* open(server, { bearer: tokens.access })
      const wrong = yield* post(server, initialize(), { headers: authorized(tokens.refresh) })
      assert.strictEqual(wrong.status, 401)
      yield* TestClock.adjust("1 hour")
      const answer = yield* post(server, initialize(), { headers: authorized(tokens.access) })
      assert.deepStrictEqual(answer.json, { error: "invalid_token", error_description: "Token has expired" })
    }))

  it.effect("clients that were approved with the security key have data of their own", () =>
    Effect.gen(function*() {
      const server = yield* builtIn()
      const [one, other] = [yield* signIn(server), yield* signIn(server)]
      const session = yield* open(server, { bearer: one.tokens.access })
      yield* call(session, "run_agent", { agent_id: "assistant", message: "hi", session_id: "s1" })
      const sessionsOf = (bearer: string) =>
        Effect.flatMap(open(server, { bearer }), (opened) =>
          Effect.map(
            call(opened, "get_sessions"),
            (result) => column(at(result, "structuredContent", "data"), "user_id")
          ))
      assert.deepStrictEqual(yield* sessionsOf(one.tokens.access), [`__oauth__:${one.client_id}`])
      assert.deepStrictEqual(yield* sessionsOf(other.tokens.access), [])
    }))
})

describe("revocation", () => {
  it.effect.each<"access" | "refresh">(["access", "refresh"])(
    "the %s token ends all tokens of its grant",
    (kind) =>
      Effect.gen(function*() {
        const server = yield* builtIn()
        const { client_id, tokens } = yield* signIn(server)
        const other = yield* form(server, "/revoke", { token: tokens[kind], client_id: "other" })
        assert.deepStrictEqual([other.status, other.text], [200, ""])
        yield* open(server, { bearer: tokens.access })
        assert.strictEqual((yield* form(server, "/revoke", { token: tokens[kind], client_id })).status, 200)
        const answer = yield* post(server, initialize(), { headers: authorized(tokens.access) })
        assert.strictEqual(answer.status, 401)
        refused(yield* form(server, token, refreshFields(client_id, tokens.refresh)), "invalid_grant")
        assert.strictEqual((yield* form(server, "/revoke", { token: "unknown", client_id })).status, 200)
      })
  )
})
