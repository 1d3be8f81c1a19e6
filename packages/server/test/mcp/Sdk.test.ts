// The official client against the service on a real port: what assistants are made with has to get along with it, by
// every credential, as it is.
import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport, StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { McpError, type Progress } from "@modelcontextprotocol/sdk/types.js"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { closed, token } from "../authorization/Closed.ts"
import { always, at, column, second } from "../Wire.ts"
import { lookup, plain, toolUser } from "../wire/Fixtures.ts"

Tier.oneIn(8)

const transportTo = (url: string, bearer: string | undefined) =>
  new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: bearer === undefined ? {} : { headers: { authorization: `Bearer ${bearer}` } }
  })

const connect = (url: string, bearer?: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ name: "test", version: "1" })
      const transport = transportTo(url, bearer)
      await client.connect(transport as never)
      return { client, transport }
    }),
    ({ client }) => Effect.promise(() => client.close())
  )

/** What a promise is rejected with. */
const rejection = (promise: () => Promise<unknown>) =>
  Effect.promise(() => promise().then(() => undefined, (error: unknown) => error))

const run = { name: "run_agent", arguments: { agent_id: "plain", message: "hi", session_id: "s1" } }

describe("on an open service", () => {
  it.live("the SDK lists, calls and reads, and checks responses with the listed schemas", () =>
    Effect.gen(function*() {
      const { url } = yield* TestServer.listen({ agents: [(yield* plain).agent] })
      const { client } = yield* connect(url)
      assert.deepStrictEqual(client.getServerVersion(), { name: "Svc", version: "0.1.0" })
      const { tools } = yield* Effect.promise(() => client.listTools())
      assert.lengthOf(tools, 8)
      const call = (name: string, given: Record<string, unknown> = {}) =>
        Effect.promise(() => client.callTool({ name, arguments: given }))
      assert.deepStrictEqual((yield* Effect.promise(() => client.callTool(run))).content, [{
        type: "text",
        text: "Hello."
      }])
      const config = yield* call("get_platform_config")
      assert.deepStrictEqual(column(at(config.structuredContent, "agents"), "id"), ["plain"])
      const sessions = yield* call("get_sessions", { limit: 1 })
      assert.deepStrictEqual(column(at(sessions.structuredContent, "data"), "session_id"), ["s1"])
      const runs = yield* call("get_session_runs", { session_id: "s1" })
      const [run_id] = column(at(runs.structuredContent, "result"), "run_id")
      const full = yield* call("get_session_runs", { session_id: "s1", run_id })
      assert.deepStrictEqual(column(at(full.structuredContent, "result"), "content"), ["Hello."])
      const cancelled = yield* call("cancel_run", { run_id: String(run_id), agent_id: "plain" })
      assert.deepStrictEqual(cancelled.structuredContent, { result: `Run ${run_id} cancellation requested` })
    }))

  it.live("the SDK gets progress before the response", () =>
    Effect.gen(function*() {
      const { model } = yield* toolUser(Script.toolCall("lookup", { query: "tea" }))
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "plain", model, tools: [lookup] })] })
      const { client } = yield* connect(url)
      const shown: Array<Progress> = []
      const result = yield* Effect.promise(() =>
        client.callTool(run, undefined, { onprogress: (progress) => void shown.push(progress) })
      )
      assert.deepStrictEqual(shown.map(({ message }) => message), [
        "Agent plain started",
        "Tool call started: lookup",
        "Tool call completed: lookup"
      ])
      assert.deepStrictEqual(result.content, [{ type: "text", text: "Tea is a leaf." }])
    }))

  it.live("the SDK cancels a run by cancelling its call", () =>
    Effect.gen(function*() {
      const requested = yield* Deferred.make<void>()
      const gone = yield* Deferred.make<void>()
      const never = Effect.onInterrupt(Effect.never, () => Deferred.succeed(gone, undefined))
      const { model } = yield* always(Script.wait(Deferred.succeed(requested, undefined)), Script.wait(never))
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "plain", model })] })
      const { client } = yield* connect(url)
      const giveUp = new AbortController()
      const calling = client.callTool(run, undefined, { signal: giveUp.signal }).catch((error: unknown) => error)
      yield* Deferred.await(requested)
      giveUp.abort("enough")
      assert.instanceOf(yield* Effect.promise(() => calling), Error)
      // the model was being asked until the run was ended
      yield* Deferred.await(gone)
    }))

  it.live("the SDK ends its session, which is not found afterwards", () =>
    Effect.gen(function*() {
      const { url } = yield* TestServer.listen({ agents: [] })
      const { client, transport } = yield* connect(url)
      const id = transport.sessionId
      yield* Effect.promise(() => transport.terminateSession())
      const response = yield* Effect.promise(() =>
        fetch(`${url}/mcp`, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            "mcp-session-id": id ?? ""
          },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })
        })
      )
      assert.strictEqual(response.status, 404)
      assert.instanceOf(yield* rejection(() => client.ping()), Error)
    }))

  it.live("an invalid call is a result with an error, and an invalid request is a protocol error", () =>
    Effect.gen(function*() {
      const { url } = yield* TestServer.listen({ agents: [] })
      const { client } = yield* connect(url)
      const result = yield* Effect.promise(() => client.callTool({ name: "run_agent", arguments: {} }))
      assert.isTrue(result.isError)
      const error = yield* rejection(() => client.callTool({ name: "nothing", arguments: {} }))
      assert.instanceOf(error, McpError)
      assert.strictEqual((error as McpError).code, -32602)
    }))
})

describe("on a closed service", () => {
  const served = Effect.gen(function*() {
    // tokens are made for the moment that tests begin at
    yield* TestClock.setTime(second * 1000)
    return yield* TestServer.listen({ agents: [(yield* plain).agent], authorization: yield* closed })
  })

  /** As an admin makes one. */
  const accountOf = Effect.fnUntraced(function*(url: string, ...scopes: ReadonlyArray<string>) {
    const admin = yield* token("root", "platform:admin")
    const response = yield* Effect.promise(() =>
      fetch(`${url}/service-accounts`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${admin}` },
        body: JSON.stringify({ name: "bot", scopes })
      })
    )
    return String(at(yield* Effect.promise(() => response.json()), "token"))
  })

  it.effect("the SDK does not connect without a credential, or with an invalid one", () =>
    Effect.gen(function*() {
      const { url } = yield* served
      for (const bearer of [undefined, "abc", "svc_pat_0000"]) {
        const error = yield* rejection(() =>
          new Client({ name: "test", version: "1" }).connect(transportTo(url, bearer) as never)
        )
        assert.instanceOf(error, StreamableHTTPError)
        assert.strictEqual((error as StreamableHTTPError).code, 401)
        assert.include(String(error), "UNAUTHENTICATED")
      }
    }))

  it.effect("a token runs what it may, under its own name", () =>
    Effect.gen(function*() {
      const { url } = yield* served
      const { client } = yield* connect(url, yield* token("ann", "agents:plain:run", "sessions:read"))
      const { tools } = yield* Effect.promise(() => client.listTools())
      assert.deepStrictEqual(tools.map(({ name }) => name), [
        "run_agent",
        "continue_run",
        "cancel_run",
        "get_sessions",
        "get_session_runs"
      ])
      yield* Effect.promise(() => client.callTool(run))
      const sessions = yield* Effect.promise(() => client.callTool({ name: "get_sessions", arguments: {} }))
      assert.deepStrictEqual(column(at(sessions.structuredContent, "data"), "user_id"), ["ann"])
    }))

  it.effect("a token of a service account runs what it may, under its own name", () =>
    Effect.gen(function*() {
      const { url } = yield* served
      const { client } = yield* connect(url, yield* accountOf(url, "agents:run", "sessions:read"))
      yield* Effect.promise(() => client.callTool(run))
      const sessions = yield* Effect.promise(() => client.callTool({ name: "get_sessions", arguments: {} }))
      assert.deepStrictEqual(column(at(sessions.structuredContent, "data"), "user_id"), ["sa:bot"])
    }))

  it.effect("a caller without a scope sees no tool for it, and the error of a call names the scope", () =>
    Effect.gen(function*() {
      const { url } = yield* served
      for (const bearer of [yield* token("ann", "config:read"), yield* accountOf(url, "config:read")]) {
        const { client } = yield* connect(url, bearer)
        const { tools } = yield* Effect.promise(() => client.listTools())
        assert.deepStrictEqual(tools.map(({ name }) => name), ["get_platform_config"])
        const result = yield* Effect.promise(() => client.callTool(run))
        assert.isTrue(result.isError)
        assert.deepStrictEqual(result.content, [{
          type: "text",
          text: "Error calling tool 'run_agent': Insufficient permissions. Required scope(s): agents:run"
        }])
      }
    }))
})
