// Official clients sign in at the built-in authorization server by themselves, over sockets: they get one address, and
// their user a page.
import { assert, describe, it } from "@effect/vitest"
import * as Modern from "@modelcontextprotocol/client"
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { freePort } from "@svc-runtime/test-support/freePort"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { agents, closed, token } from "../authorization/Closed.ts"
import { at, column, second } from "../Wire.ts"
import * as Browser from "./Browser.ts"
import { oauthOf } from "./Protected.ts"

Tier.oneIn(6)

const redirectUrl = "http://127.0.0.1:33418/callback"

/** What an app stores between two starts. Both clients use it. */
const provider = (scope?: string) => {
  const stored = new Map<string, unknown>()
  const opened: Array<string> = []
  const keep = (name: string) => (value: unknown) => void stored.set(name, value)
  const read = (name: string) => () => stored.get(name) as never
  return {
    opened,
    stored,
    redirectUrl,
    clientMetadata: {
      client_name: "Test app",
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: "none",
      ...(scope === undefined ? {} : { scope })
    },
    state: () => "the-state",
    clientInformation: read("client"),
    saveClientInformation: keep("client"),
    tokens: read("tokens"),
    saveTokens: keep("tokens"),
    codeVerifier: read("verifier"),
    saveCodeVerifier: keep("verifier"),
    discoveryState: read("discovery"),
    saveDiscoveryState: keep("discovery"),
    redirectToAuthorization: (url: URL) => void opened.push(url.href)
  }
}

type Provider = ReturnType<typeof provider>

interface Connected {
  readonly call: (name: string, given?: Record<string, unknown>) => Promise<unknown>
  readonly tools: () => Promise<ReadonlyArray<{ readonly name: string }>>
}

/** How each of the clients connects, and how it takes the response of the browser. */
interface Kit {
  readonly connect: (url: URL, app: Provider) => Promise<Connected>
  readonly finish: (url: URL, app: Provider, answer: URL) => Promise<void>
  readonly isUnauthorized: (error: unknown) => boolean
}

const kits: ReadonlyArray<readonly [string, Kit]> = [
  ["@modelcontextprotocol/sdk", {
    connect: async (url, app) => {
      const client = new Client({ name: "test", version: "1" })
      await client.connect(new StreamableHTTPClientTransport(url, { authProvider: app as never }) as never)
      return {
        call: (name, given = {}) => client.callTool({ name, arguments: given }),
        tools: async () => (await client.listTools()).tools
      }
    },
    finish: (url, app, answer) =>
      new StreamableHTTPClientTransport(url, { authProvider: app as never }).finishAuth(
        answer.searchParams.get("code") ?? ""
      ),
    isUnauthorized: (error) => error instanceof UnauthorizedError
  }],
  ["@modelcontextprotocol/client", {
    connect: async (url, app) => {
      const client = new Modern.Client({ name: "test", version: "1" })
      await client.connect(new Modern.StreamableHTTPClientTransport(url, { authProvider: app as never }))
      return {
        call: (name, given = {}) => client.callTool({ name, arguments: given }),
        tools: async () => (await client.listTools()).tools
      }
    },
    finish: (url, app, answer) =>
      new Modern.StreamableHTTPClientTransport(url, { authProvider: app as never }).finishAuth(answer.searchParams),
    isUnauthorized: (error) => error instanceof Modern.UnauthorizedError
  }]
]

const rejection = (promise: Promise<unknown>) =>
  Effect.promise(() => promise.then(() => undefined, (error: unknown) => error))

const served = Effect.gen(function*() {
  yield* TestClock.setTime(second * 1000)
  const port = yield* freePort
  const origin = `http://127.0.0.1:${port}`
  yield* TestServer.listen({
    port,
    agents: yield* agents,
    authorization: yield* closed,
    settings: { mcp: { enabled: true, oauth: oauthOf({ server: "builtin" }, origin) } }
  })
  return new URL(`${origin}/mcp`)
})

/** Connects an app whose user has to sign in first. */
const signIn = Effect.fnUntraced(function*(kit: Kit, url: URL, app: Provider, secret: string) {
  const error = yield* rejection(kit.connect(url, app))
  assert.isTrue(kit.isUnauthorized(error), String(error))
  const answer = yield* Browser.approve(Browser.overHttp, app.opened.at(-1) ?? "", secret)
  assert.strictEqual(answer.searchParams.get("state"), "the-state")
  assert.strictEqual(answer.searchParams.get("iss"), `${url.origin}/`)
  yield* Effect.promise(() => kit.finish(url, app, answer))
  return yield* Effect.promise(() => kit.connect(url, app))
})

const rights = ["agents:run", "sessions:read", "config:read"]
const run = { agent_id: "assistant", message: "hi", session_id: "s1" }

describe.each(kits)("%s", (_, kit) => {
  it.effect("a client registers, signs its user in and acts with the rights of the user", () =>
    Effect.gen(function*() {
      const url = yield* served
      const app = provider()
      const client = yield* signIn(kit, url, app, yield* token("ann", ...rights))
      const requested = new URL(app.opened[0]!).searchParams
      assert.strictEqual(requested.get("resource"), url.href)
      assert.strictEqual(requested.get("code_challenge_method"), "S256")
      assert.lengthOf(yield* Effect.promise(() => client.tools()), 8)
      yield* Effect.promise(() => client.call("run_agent", run))
      const sessions = yield* Effect.promise(() => client.call("get_sessions"))
      assert.deepStrictEqual(column(at(sessions, "structuredContent", "data"), "user_id"), ["ann"])
    }))

  it.effect("a client gets a new access token by itself when the old one expires", () =>
    Effect.gen(function*() {
      const url = yield* served
      const app = provider()
      const client = yield* signIn(kit, url, app, yield* token("ann", ...rights))
      const before = at(app.stored.get("tokens"), "access_token")
      yield* TestClock.adjust("61 minutes")
      yield* Effect.promise(() => client.call("run_agent", run))
      assert.notStrictEqual(at(app.stored.get("tokens"), "access_token"), before)
      assert.lengthOf(app.opened, 1)
    }))
})

describe("a missing scope", () => {
  it.effect("a client asks its user again for a scope that a call needs, and keeps those it had", () =>
    Effect.gen(function*() {
      const [, kit] = kits[1]!
      const url = yield* served
      const app = provider()
      const secret = yield* token("ann", ...rights)
      const error = yield* rejection(kit.connect(url, app))
      assert.isTrue(kit.isUnauthorized(error))
      const narrow = new URL(app.opened[0]!)
      narrow.searchParams.set("scope", "config:read")
      yield* Effect.flatMap(
        Browser.approve(Browser.overHttp, narrow.href, secret),
        (answer) => Effect.promise(() => kit.finish(url, app, answer))
      )
      const client = yield* Effect.promise(() => kit.connect(url, app))
      assert.strictEqual(at(app.stored.get("tokens"), "scope"), "config:read")
      const refused = yield* rejection(client.call("run_agent", run))
      assert.isTrue(kit.isUnauthorized(refused), String(refused))
      const again = new URL(app.opened.at(-1)!)
      assert.sameMembers(again.searchParams.get("scope")!.split(" "), ["config:read", "agents:run"])
      const answer = yield* Browser.approve(Browser.overHttp, again.href, secret)
      yield* Effect.promise(() => kit.finish(url, app, answer))
      const result = yield* Effect.promise(async () => (await kit.connect(url, app)).call("run_agent", run))
      assert.strictEqual(at(result, "structuredContent", "status"), "COMPLETED")
    }))
})
