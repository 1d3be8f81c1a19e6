// The number of sessions that are kept is limited, and a session with an open call is not replaced. Clients notice
// neither that nor which node they reach.
import { assert, describe, it } from "@effect/vitest"
import { CurrentProcess, type Peers } from "@svc-runtime/domain/Worker"
import { Route } from "@svc-runtime/server"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Context, Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { HttpServerResponse } from "effect/http"
import * as McpEndpoint from "../../src/mcp/McpEndpoint.ts"
import * as McpSessions from "../../src/mcp/McpSessions.ts"
import { closed, token } from "../authorization/Closed.ts"
import { ask, at, serve } from "../Wire.ts"
import { peerPair } from "../workers/peerPair.ts"
import { headers, initialize, latest, messages, open, post, request } from "./Mcp.ts"

Tier.oneIn(4)

const path = "/few"

const workerWith = (peers: Peers) =>
  Layer.succeed(CurrentProcess, {
    worker: { number: 1, count: 2, joins: false, internalToken: Redacted.make(""), peers },
    end: Effect.void
  })

const few = Effect.fnUntraced(function*(options: TestServer.Options = {}, peers?: Peers) {
  const requested = yield* Deferred.make<void>()
  const release = yield* Deferred.make<void>()
  const interrupted = yield* Deferred.make<void>()
  const tool = Layer.effectDiscard(Effect.gen(function*() {
    const server = yield* McpServer.McpServer
    yield* server.addTool({
      tool: new McpSchema.Tool({ name: "wait", inputSchema: { type: "object" } }),
      annotations: Context.empty(),
      handle: () =>
        Deferred.succeed(requested, undefined).pipe(
          Effect.andThen(Deferred.await(release)),
          Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined)),
          Effect.as(McpSchema.CallToolResult.make({ content: [] }))
        )
    })
  }))
  const endpoint = McpEndpoint.layer({ path, registrations: tool, maxSessions: 2 })
  const server = yield* serve({
    ...options,
    routes: [
      Route.layer(peers === undefined ? endpoint : Layer.provide(endpoint, workerWith(peers)), {
        [`POST ${path}`]: "none",
        [`DELETE ${path}`]: "none"
      })
    ]
  })
  return {
    server,
    requested: Deferred.await(requested),
    interrupted: Deferred.await(interrupted),
    release: Deferred.succeed(release, undefined)
  }
})

const ping = (server: TestServer.TestServer, session: { readonly headers: Readonly<Record<string, string>> }) =>
  Effect.map(post(server, request("ping"), { path, headers: session.headers }), ({ status }) => status)

const wait = request("tools/call", { name: "wait", arguments: {} })

describe("when there is no place", () => {
  /** Sessions of a library that counts them. */
  const counted = () => {
    const kept = new Set<string>()
    let last = 0
    const sessions = McpSessions.make(2, {
      begin: () =>
        Effect.sync(() => {
          const inner = `inner ${++last}`
          kept.add(inner)
          return inner
        }),
      end: (inner) => Effect.sync(() => kept.delete(inner))
    })
    const use = (id: string, user: string) =>
      sessions.within(
        id,
        latest,
        { key: user, user_id: user },
        (inner) => Effect.succeed(HttpServerResponse.text(inner))
      ).pipe(Effect.scoped, Effect.as(sessions.innerOf(id)))
    return { kept, use, sessions }
  }

  it.effect("a new session replaces the one that was used least recently", () =>
    Effect.gen(function*() {
      const { kept, use } = counted()
      for (const id of ["first", "second", "first", "third"]) yield* use(id, "ann")
      assert.deepStrictEqual([...kept], ["inner 1", "inner 3"])
    }))

  it.effect("a caller with many sessions replaces the own ones, and not those of others", () =>
    Effect.gen(function*() {
      const { kept, use } = counted()
      yield* use("hers", "ann")
      for (const id of ["one", "two", "three"]) yield* use(id, "bob")
      assert.deepStrictEqual([...kept], ["inner 1", "inner 4"])
    }))

  it.effect("a client whose session was replaced continues it", () =>
    Effect.gen(function*() {
      const { server } = yield* few()
      const all = yield* Effect.forEach([1, 2, 3], () => open(server, { path }))
      const statuses = yield* Effect.forEach([...all, ...all], (session) => ping(server, session))
      assert.deepStrictEqual(statuses, [200, 200, 200, 200, 200, 200])
    }))

  it.effect("requests at the same time begin a session again once", () =>
    Effect.gen(function*() {
      const { kept, use } = counted()
      yield* Effect.forEach([1, 2, 3, 4], () => use("one", "ann"), { concurrency: "unbounded" })
      assert.deepStrictEqual([...kept], ["inner 1"])
    }))

  it.effect("a session does not exist for other users, who cannot end it", () =>
    Effect.gen(function*() {
      const { server } = yield* few({ authorization: yield* closed })
      const hers = yield* open(server, { path, bearer: yield* token("ann") })
      const headers = { ...hers.headers, authorization: `Bearer ${yield* token("bob")}` }
      assert.strictEqual(yield* ping(server, { headers }), 404)
      const removed = yield* ask(server, path, { method: "DELETE", headers })
      assert.strictEqual(removed.status, 404)
      assert.strictEqual(yield* ping(server, hers), 200)
    }))

  it.effect("a session with a call in progress is not ended, and a new one is refused when all have one", () =>
    Effect.gen(function*() {
      const { requested, release, server } = yield* few()
      const [first, second] = [yield* open(server, { path }), yield* open(server, { path })]
      const waiting = yield* Effect.forEach(
        [first, second],
        (session) =>
          Effect.forkChild(post(server, wait, { path, headers: session.headers }), { startImmediately: true })
      )
      yield* requested
      const refused = yield* post(server, initialize(), { path })
      assert.strictEqual(refused.status, 503)
      assert.match(String(at(refused.json, "error", "message")), /Session limit reached/)
      yield* release
      for (const fiber of waiting) {
        assert.deepStrictEqual(at(messages(yield* Fiber.join(fiber))[0], "result", "content"), [])
      }
      yield* open(server, { path })
      assert.deepStrictEqual([yield* ping(server, first), yield* ping(server, second)], [200, 200])
    }))

  it.effect("a session that was ended makes room for a new one", () =>
    Effect.gen(function*() {
      const { server } = yield* few()
      const [first, second] = [yield* open(server, { path }), yield* open(server, { path })]
      yield* server.fetch(path, { method: "DELETE", headers: { ...headers, ...second.headers } })
      yield* open(server, { path })
      assert.deepStrictEqual([yield* ping(server, first), yield* ping(server, second)], [200, 404])
    }))
})

describe("a session that began on another node", () => {
  it.effect("a session continues on every node, for its user and with its revision", () =>
    Effect.gen(function*() {
      const nodes = yield* Effect.forEach(
        [1, 2],
        () => Effect.flatMap(closed, (authorization) => few({ authorization }))
      )
      const [one, other] = [nodes[0]!.server, nodes[1]!.server]
      const [ann, bob] = [yield* token("ann"), yield* token("bob")]
      for (const version of ["2025-03-26", latest]) {
        const hers = yield* open(one, { path, bearer: ann, version })
        assert.deepStrictEqual([yield* ping(other, hers), yield* ping(one, hers)], [200, 200])
        const his = { headers: { ...hers.headers, authorization: `Bearer ${bob}` } }
        assert.deepStrictEqual([yield* ping(other, his), yield* ping(one, his)], [404, 404])
        // only this revision has batches
        const batch = yield* post(other, [request("ping", {}, 1), request("ping", {}, 2)], {
          path,
          headers: hers.headers
        })
        assert.strictEqual(batch.status, version === latest ? 400 : 200)
      }
    }))

  it.effect("a session of a caller without a name continues on every node", () =>
    Effect.gen(function*() {
      const [one, other] = [yield* few(), yield* few()]
      assert.strictEqual(yield* ping(other.server, yield* open(one.server, { path })), 200)
    }))

  it.effect("an id that was changed names no session", () =>
    Effect.gen(function*() {
      const { server } = yield* few()
      const { headers, id } = yield* open(server, { path })
      const [version = "", nonce = "", proof = ""] = id.split(".")
      for (const changed of [`2025-03-26.${nonce}.${proof}`, `${version}.${proof.slice(0, 22)}.${proof}`, `${id}.`]) {
        assert.strictEqual(yield* ping(server, { headers: { ...headers, "mcp-session-id": changed } }), 404, changed)
      }
    }))
})

describe("workers of one service", () => {
  const pair = Effect.gen(function*() {
    const [first, second] = peerPair()
    return [yield* few({}, first), yield* few({}, second)] as const
  })

  it.effect("a session that was ended at one worker does not exist at the others", () =>
    Effect.gen(function*() {
      const [one, other] = yield* pair
      const session = yield* open(one.server, { path })
      assert.strictEqual(yield* ping(other.server, session), 200)
      const ended = yield* ask(other.server, path, { method: "DELETE", headers: { ...headers, ...session.headers } })
      assert.strictEqual(ended.status, 200)
      assert.deepStrictEqual([yield* ping(one.server, session), yield* ping(other.server, session)], [404, 404])
    }))

  it.effect("a call that one worker executes is cancelled through another one", () =>
    Effect.gen(function*() {
      const [one, other] = yield* pair
      const session = yield* open(one.server, { path })
      const call = post(one.server, { ...wait, id: "a call" }, { path, headers: session.headers })
      yield* Effect.forkChild(call, { startImmediately: true })
      yield* one.requested
      const params = { requestId: "a call" }
      const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params }
      assert.strictEqual((yield* post(other.server, cancel, { path, headers: session.headers })).status, 202)
      yield* one.interrupted
    }))
})
