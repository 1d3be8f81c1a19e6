// The number of sessions is limited, and a session with an open call is not ended.
import { assert, describe, it } from "@effect/vitest"
import { Route } from "@svc-runtime/server"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import * as McpEndpoint from "../../src/mcp/McpEndpoint.ts"
import { closed, token } from "../authorization/Closed.ts"
import { ask, at, serve } from "../Wire.ts"
import { headers, initialize, messages, open, post, request } from "./Mcp.ts"

const path = "/few"

const few = Effect.fnUntraced(function*(options: TestServer.Options = {}) {
  const requested = yield* Deferred.make<void>()
  const release = yield* Deferred.make<void>()
  const tool = Layer.effectDiscard(Effect.gen(function*() {
    const server = yield* McpServer.McpServer
    yield* server.addTool({
      tool: new McpSchema.Tool({ name: "wait", inputSchema: { type: "object" } }),
      annotations: Context.empty(),
      handle: () =>
        Deferred.succeed(requested, undefined).pipe(
          Effect.andThen(Deferred.await(release)),
          Effect.as(McpSchema.CallToolResult.make({ content: [] }))
        )
    })
  }))
  const server = yield* serve({
    ...options,
    routes: [
      Route.layer(McpEndpoint.layer({ path, registrations: tool, maxSessions: 2 }), {
        [`POST ${path}`]: "none",
        [`DELETE ${path}`]: "none"
      })
    ]
  })
  return { server, requested: Deferred.await(requested), release: Deferred.succeed(release, undefined) }
})

const ping = (server: TestServer.TestServer, session: { readonly headers: Readonly<Record<string, string>> }) =>
  Effect.map(post(server, request("ping"), { path, headers: session.headers }), ({ status }) => status)

const wait = request("tools/call", { name: "wait", arguments: {} })

describe("when there is no place", () => {
  it.effect("a new session ends the session that was used least recently", () =>
    Effect.gen(function*() {
      const { server } = yield* few()
      const [first, second] = [yield* open(server, { path }), yield* open(server, { path })]
      assert.strictEqual(yield* ping(server, first), 200)
      const third = yield* open(server, { path })
      assert.deepStrictEqual(
        [yield* ping(server, first), yield* ping(server, second), yield* ping(server, third)],
        [200, 404, 200]
      )
    }))

  it.effect("a caller with many sessions ends the own ones, and not those of others", () =>
    Effect.gen(function*() {
      const { server } = yield* few({ authorization: yield* closed })
      const [ann, bob] = [yield* token("ann"), yield* token("bob")]
      const hers = yield* open(server, { path, bearer: ann })
      const his = yield* Effect.forEach([1, 2, 3], () => open(server, { path, bearer: bob }))
      assert.deepStrictEqual(
        yield* Effect.forEach([hers, ...his], (session) => ping(server, session)),
        [200, 404, 404, 200]
      )
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
      assert.deepStrictEqual([yield* ping(server, first), yield* ping(server, second)].toSorted(), [200, 404])
    }))

  it.effect("a session that was ended makes room for a new one", () =>
    Effect.gen(function*() {
      const { server } = yield* few()
      const [first, second] = [yield* open(server, { path }), yield* open(server, { path })]
      yield* server.fetch(path, { method: "DELETE", headers: { ...headers, ...second.headers } })
      yield* open(server, { path })
      assert.strictEqual(yield* ping(server, first), 200)
    }))
})
