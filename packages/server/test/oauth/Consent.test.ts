// The page that asks a person, with what attackers send, and the rights that a client gets.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { agents, closed, mint, token } from "../authorization/Closed.ts"
import * as Mcp from "../mcp/Mcp.ts"
import { ask, at, column, get } from "../Wire.ts"
import { signed } from "../wire/TenantCallers.ts"
import * as Browser from "./Browser.ts"
import { origin } from "./Protected.ts"
import {
  authorizeUrl,
  browserOf,
  builtIn,
  form,
  key,
  redirectUri,
  refreshFields,
  registered,
  signIn
} from "./SignIn.ts"

const errorOf = ({ headers }: Pick<Response, "headers">) => {
  const location = new URL(headers.get("location") ?? "none:")
  return { to: `${location.origin}${location.pathname}`, ...Object.fromEntries(location.searchParams) }
}

describe("the consent page", () => {
  const opened = Effect.gen(function*() {
    const server = yield* builtIn()
    const name = "<img src=x onerror=alert(1)>\"'&\u202e"
    const client = yield* registered(server, { redirect_uris: [redirectUri], client_name: name })
    const send = browserOf(server)
    return { server, send, client, page: yield* Browser.open(send, authorizeUrl(client)) }
  })

  it.effect("the page escapes what the client says, has no scripts and cannot be framed or cached", () =>
    Effect.gen(function*() {
      const { page } = yield* opened
      assert.strictEqual(page.status, 200)
      assert.include(page.html, "&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp; ")
      assert.notInclude(page.html, "<img")
      assert.include(page.html, "<code>app.example</code>")
      assert.strictEqual(page.headers.get("x-frame-options"), "DENY")
      assert.strictEqual(page.headers.get("cache-control"), "no-store")
      assert.match(
        page.headers.get("content-security-policy") ?? "",
        /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; frame-ancestors 'none'$/
      )
      assert.match(
        page.headers.get("set-cookie") ?? "",
        /^svc_mcp_consent=[\w-]{43}; Path=\/mcp-auth\/consent; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/
      )
    }))

  it.effect("a form without the cookie, with that of another browser, or from another site is refused", () =>
    Effect.gen(function*() {
      const { client, page, send } = yield* opened
      const other = yield* Browser.open(send, authorizeUrl(client))
      const approve = { secret: key, action: "approve" }
      const statuses = [
        yield* Browser.submit(send, { ...page, cookie: "" }, approve),
        yield* Browser.submit(send, { ...page, cookie: other.cookie }, approve),
        yield* Browser.submit(send, { ...page, fields: { ...page.fields, csrf: "" } }, approve),
        yield* Browser.submit(send, { ...page, fields: { ...page.fields, csrf: other.fields["csrf"]! } }, approve),
        yield* Browser.submit(send, page, { ...approve, action: "other" })
      ].map(({ status }) => status)
      assert.deepStrictEqual(statuses, [400, 400, 400, 400, 400])
      assert.strictEqual((yield* Browser.submit(send, page, approve, { origin: "https://evil.example" })).status, 403)
      assert.strictEqual((yield* Browser.submit(send, page, approve)).status, 302)
    }))

  it.effect("a browser can have several consent pages open", () =>
    Effect.gen(function*() {
      const { client, page, send } = yield* opened
      const second = yield* Browser.open(send, authorizeUrl(client), page.cookie)
      for (const one of [page, second]) {
        assert.strictEqual((yield* Browser.submit(send, one, { secret: key, action: "approve" })).status, 302)
      }
    }))

  it.effect("a form counts once, also if it is sent several times at once", () =>
    Effect.gen(function*() {
      const { page, send } = yield* opened
      const responses = yield* Effect.forEach(
        Array.from({ length: 8 }),
        () => Browser.submit(send, page, { secret: key, action: "approve" }),
        { concurrency: "unbounded" }
      )
      const statuses = responses.map(({ status }) => status).toSorted()
      assert.deepStrictEqual(statuses, [302, 404, 404, 404, 404, 404, 404, 404])
    }))

  it.effect("a denial returns to the client, and ends the request", () =>
    Effect.gen(function*() {
      const { page, send } = yield* opened
      const denied = yield* Browser.submit(send, page, { action: "deny" })
      assert.deepStrictEqual(errorOf(denied), {
        to: redirectUri,
        error: "access_denied",
        error_description: "The user denied access",
        state: "s1",
        iss: `${origin}/`
      } as never)
      assert.strictEqual((yield* Browser.submit(send, page, { secret: key, action: "approve" })).status, 404)
    }))

  it.effect("an unknown and an expired request are not found", () =>
    Effect.gen(function*() {
      const { page, send, server } = yield* opened
      assert.strictEqual((yield* get(server, "/mcp-auth/consent?txn=unknown")).status, 404)
      assert.strictEqual((yield* get(server, "/mcp-auth/consent")).status, 404)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual((yield* send(page.url)).status, 404)
      assert.strictEqual((yield* Browser.submit(send, page, { secret: key, action: "approve" })).status, 404)
    }))

  it.effect("wrong secrets are refused, the tenth within a minute with 429, and the right one never", () =>
    Effect.gen(function*() {
      const { page, send } = yield* opened
      const attempt = (secret: string) => Browser.submit(send, page, { secret, action: "approve" })
      const wrong = ["", "wrong", "svc_pat_0000", "svc_oat_0000", "a.b.c", "x", "x", "x", "x"]
      for (const secret of wrong) assert.strictEqual((yield* attempt(secret)).status, 200, secret)
      assert.strictEqual((yield* attempt("x")).status, 429)
      assert.strictEqual((yield* attempt(key)).status, 302)
    }))
})

describe("rights of a client", () => {
  const served = Effect.gen(function*() {
    return yield* builtIn({ agents: yield* agents, authorization: yield* closed })
  })

  it.effect("a client gets no more than its user has, and a right for one component where all were requested", () =>
    Effect.gen(function*() {
      const server = yield* served
      const { tokens } = yield* signIn(server, yield* token("ann", "agents:assistant:run", "agents:delete"))
      assert.strictEqual(tokens.scope, "agents:assistant:run")
      const admin = yield* signIn(server, yield* token("root", "platform:admin"), { scope: "config:read nonsense" })
      assert.strictEqual(admin.tokens.scope, "config:read")
    }))

  it.effect("a user without any of the requested rights cannot approve", () =>
    Effect.gen(function*() {
      const server = yield* served
      const send = browserOf(server)
      const page = yield* Browser.open(send, authorizeUrl(yield* registered(server)))
      const secret = yield* token("ann", "memories:read")
      const response = yield* Browser.submit(send, page, { secret, action: "approve" })
      assert.strictEqual(response.status, 200)
      assert.include(yield* Effect.promise(() => response.text()), "none of the scopes")
    }))

  it.effect("a client of a person of a tenant sees and does what is of the tenant, and nothing of the service", () =>
    Effect.gen(function*() {
      const authorization = { ...yield* closed, tenantClaim: "org.id" }
      const server = yield* builtIn({ agents: yield* agents, authorization })
      const scope = "agents:run sessions:read roles:write schedules:read"
      const clientOf = Effect.fnUntraced(function*(sub: string, tenant: string, ...scopes: ReadonlyArray<string>) {
        const { tokens } = yield* signIn(server, yield* signed(sub, tenant, scopes), { scope })
        assert.strictEqual(tokens.scope, "agents:run sessions:read")
        return yield* Mcp.open(server, { bearer: tokens.access })
      })
      const run = (client: Mcp.Session, session_id: string) =>
        Mcp.call(client, "run_agent", { agent_id: "assistant", message: "hi", session_id })
      const users = Effect.fnUntraced(function*(client: Mcp.Session) {
        const found = yield* Mcp.call(client, "get_sessions")
        return column(at(found, "structuredContent", "data"), "user_id").toSorted()
      })
      const ann = yield* clientOf("ann", "acme", "agents:run", "sessions:read")
      const [boss, other] = [
        yield* clientOf("boss", "acme", "platform:admin"),
        yield* clientOf("ann", "globex", "platform:admin")
      ]
      yield* run(ann, "a")
      yield* run(boss, "b")
      yield* run(other, "g")
      assert.deepStrictEqual(yield* Effect.forEach([ann, boss, other], users), [
        ["tenant:acme:ann"],
        ["tenant:acme:boss"],
        ["tenant:globex:ann"]
      ])
      assert.include(JSON.stringify(yield* run(other, "a")), "not found")
    }))

  it.effect("a grant of a service account ends with the account", () =>
    Effect.gen(function*() {
      const server = yield* served
      const admin = yield* token("root", "platform:admin")
      const account = yield* mint(server, admin, { name: "bot", scopes: ["config:read"] })
      const { client_id, tokens } = yield* signIn(server, account.token)
      const call = () =>
        ask(server, "/mcp", {
          method: "POST",
          headers: { authorization: `Bearer ${tokens.access}`, "content-type": "application/json" },
          body: "{"
        })
      assert.strictEqual((yield* call()).status, 400)
      yield* server.fetch(`/service-accounts/${account.id}`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${admin}` }
      })
      assert.strictEqual((yield* call()).status, 401)
      const refreshed = yield* form(server, "/token", refreshFields(client_id, tokens.refresh))
      assert.strictEqual(at(refreshed.json, "error"), "invalid_grant")
    }))

  it.effect("an access token approves no client", () =>
    Effect.gen(function*() {
      const server = yield* served
      const { tokens } = yield* signIn(server, yield* token("ann", "config:read"))
      const send = browserOf(server)
      const page = yield* Browser.open(send, authorizeUrl(yield* registered(server)))
      assert.strictEqual((yield* Browser.submit(send, page, { secret: tokens.access, action: "approve" })).status, 200)
    }))

  it.effect("a form of another type than a browser sends is refused", () =>
    Effect.gen(function*() {
      const server = yield* served
      const answer = yield* ask(server, "/mcp-auth/consent", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: "{}"
      })
      assert.strictEqual(answer.status, 400)
      assert.strictEqual((yield* form(server, "/mcp-auth/consent", {})).status, 404)
    }))
})
