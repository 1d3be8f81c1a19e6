// A client of the built-in authorization server, request by request.
import { assert } from "@effect/vitest"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { type Answer, ask, at } from "../Wire.ts"
import * as Browser from "./Browser.ts"
import { origin, resource, serveProtected } from "./Protected.ts"

export const key = "the-security-key-of-tests"
export const redirectUri = "https://app.example/callback"
export const verifier = "v".repeat(43)
export const challengeOf = (text: string) => createHash("sha256").update(text).digest("base64url")

/** A service whose clients are approved with its security key. */
export const builtIn = (options: TestServer.Options = {}) =>
  serveProtected({ server: "builtin" }, { authorization: { securityKey: key }, ...options })

/** Without a socket: addresses of the service lead to it. */
export const browserOf = (server: TestServer.TestServer): Browser.Send => (url, init) =>
  server.fetch(url.replace(origin, ""), init)

export const register = (server: TestServer.TestServer, metadata: unknown = { redirect_uris: [redirectUri] }) =>
  ask(server, "/register", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof metadata === "string" ? metadata : JSON.stringify(metadata)
  })

export const registered = (server: TestServer.TestServer, metadata?: unknown) =>
  Effect.map(register(server, metadata), (answer) => {
    assert.strictEqual(answer.status, 201, answer.text)
    return String(at(answer.json, "client_id"))
  })

type Parameters = Readonly<Record<string, string | undefined>>

export const authorizeUrl = (client_id: string, changes: Parameters = {}) => {
  const parameters = {
    response_type: "code",
    client_id,
    redirect_uri: redirectUri,
    state: "s1",
    code_challenge: challengeOf(verifier),
    code_challenge_method: "S256",
    resource,
    ...changes
  }
  const given = Object.entries(parameters).flatMap(([name, value]) => value === undefined ? [] : [[name, value]])
  return `${origin}/authorize?${new URLSearchParams(given)}`
}

export const form = (
  server: TestServer.TestServer,
  path: string,
  fields: Parameters,
  headers: Readonly<Record<string, string>> = {}
): Effect.Effect<Answer> => {
  const given = Object.entries(fields).flatMap(([name, value]) => value === undefined ? [] : [[name, value]])
  return ask(server, path, { method: "POST", body: new URLSearchParams(given), headers })
}

export const codeFields = (client_id: string, code: string): Parameters => ({
  grant_type: "authorization_code",
  client_id,
  code,
  redirect_uri: redirectUri,
  code_verifier: verifier,
  resource
})

/** A code for a client that a person has approved. */
export const approvedCode = Effect.fnUntraced(function*(
  server: TestServer.TestServer,
  client_id: string,
  secret = key,
  changes: Parameters = {}
) {
  const answer = yield* Browser.approve(browserOf(server), authorizeUrl(client_id, changes), secret)
  return answer.searchParams.get("code") ?? ""
})

export interface Tokens {
  readonly access: string
  readonly refresh: string
  readonly scope: string
}

export const tokensOf = ({ json, status, text }: Answer): Tokens => {
  assert.strictEqual(status, 200, text)
  return {
    access: String(at(json, "access_token")),
    refresh: String(at(json, "refresh_token")),
    scope: String(at(json, "scope"))
  }
}

export const signIn = Effect.fnUntraced(function*(
  server: TestServer.TestServer,
  secret = key,
  changes: Parameters = {}
) {
  const client_id = yield* registered(server)
  const code = yield* approvedCode(server, client_id, secret, changes)
  return { client_id, code, tokens: tokensOf(yield* form(server, "/token", codeFields(client_id, code))) }
})

export const refreshFields = (client_id: string, refresh_token: string): Parameters => ({
  grant_type: "refresh_token",
  client_id,
  refresh_token
})
