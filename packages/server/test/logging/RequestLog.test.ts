// The line that each request leaves in the log, and the id by which a client finds it.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as SpanSink from "@svc-runtime/telemetry/SpanSink"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { once } from "node:events"
import { connect } from "node:net"
import { agents, closed, token } from "../authorization/Closed.ts"
import * as Exchanges from "../Exchanges.ts"
import * as Mcp from "../mcp/Mcp.ts"
import { second } from "../Wire.ts"

Tier.oneIn(8)

const listen = Effect.fnUntraced(function*(options: TestServer.Options = {}) {
  yield* TestClock.setTime(second * 1000)
  return yield* TestServer.listen({ agents: yield* agents, ...options })
})

/** Waits until the search finds something. */
const found = <A>(search: () => A | undefined) =>
  Effect.gen(function*() {
    for (;;) {
      const line = search()
      if (line !== undefined) return line
      yield* Effect.promise(() => new Promise<void>((resume) => setImmediate(resume)))
    }
  })

const lineOf = ({ requests }: TestServer.Listening, id: string) =>
  found(() => requests.find(({ request_id }) => request_id === id))

const send = Effect.fnUntraced(function*(server: TestServer.Listening, path: string, init: RequestInit = {}) {
  const response = yield* Effect.promise(() => fetch(`${server.url}${path}`, init))
  yield* Effect.promise(() => response.arrayBuffer())
  const id = response.headers.get("x-request-id") ?? ""
  return { id, line: yield* lineOf(server, id) }
})

const withId = (id: string): RequestInit => ({ headers: { "x-request-id": id } })

describe("the log line of a request", () => {
  it.effect("the line has the pattern of the path, not the path, and the sizes", () =>
    Effect.gen(function*() {
      const server = yield* listen()
      const { line } = yield* send(server, "/sessions/secret?page=1")
      assert.deepInclude(line, { method: "GET", route: "/sessions/:session_id", status: 404, level: "Info" })
      assert.deepInclude(line, { request_bytes: 0, transport: "rest", user_id: undefined, aborted: undefined })
      assert.strictEqual(line.response_bytes, 72)
      assert.isAtLeast(line.time_ms, 0)
      assert.notInclude(JSON.stringify(line), "secret")
      const body = new URLSearchParams({ message: "hi", stream: "false" })
      const run = yield* send(server, "/agents/assistant/runs", { method: "POST", body })
      assert.deepInclude(run.line, { route: "/agents/:agent_id/runs", status: 200, request_bytes: 23 })
    }))

  it.effect("requests that no route has share one name, and programs that check the health are quiet", () =>
    Effect.gen(function*() {
      const server = yield* listen()
      assert.deepInclude((yield* send(server, "/nowhere/7")).line, { route: "unmatched", status: 404, level: "Info" })
      assert.deepInclude((yield* send(server, "/health")).line, { route: "/health", status: 200, level: "Debug" })
      assert.deepInclude((yield* send(server, "/docs")).line, { route: "/docs", level: "Info" })
      assert.deepInclude((yield* send(server, "/mcp", { method: "POST" })).line, { route: "/mcp", transport: "mcp" })
    }))

  it.effect("the line of a sign-in to the console has neither its code nor its state", () =>
    Effect.gen(function*() {
      const server = yield* listen()
      const { line } = yield* send(server, "/console/?code=secret-code&state=secret-state")
      assert.deepInclude(line, { method: "GET", route: "/console", status: 200 })
      assert.notInclude(JSON.stringify(server.requests), "secret")
    }))

  it.effect("the line has the user of the token, and the route of a request that is refused", () =>
    Effect.gen(function*() {
      const server = yield* listen({ authorization: yield* closed })
      const headers = { authorization: `Bearer ${yield* token("ann", "agents:read")}` }
      assert.deepInclude((yield* send(server, "/agents/assistant", { headers })).line, { user_id: "ann", status: 200 })
      const refused = yield* send(server, "/agents/assistant", {})
      assert.deepInclude(refused.line, { route: "/agents/:agent_id", status: 401, user_id: undefined })
      const forbidden = yield* send(server, "/sessions", { headers })
      assert.deepInclude(forbidden.line, { route: "/sessions", status: 403 })
    }))

  it.effect("the line of a call over MCP has the tool", () =>
    Effect.gen(function*() {
      const server = yield* listen()
      const message = (id: string, body: unknown, session?: string): RequestInit => ({
        method: "POST",
        headers: {
          ...Mcp.headers,
          "x-request-id": id,
          ...(session === undefined ? {} : { "mcp-session-id": session, "mcp-protocol-version": Mcp.latest })
        },
        body: JSON.stringify(body)
      })
      const opened = yield* Effect.promise(() => fetch(`${server.url}/mcp`, message("opening", Mcp.initialize())))
      yield* Effect.promise(() => opened.text())
      const call = {
        jsonrpc: "2.0",
        id: 2,
        method: "tools/call",
        params: { name: "get_sessions", arguments: { limit: 1 } }
      }
      const { line } = yield* send(
        server,
        "/mcp",
        message("call", call, opened.headers.get("mcp-session-id") ?? undefined)
      )
      assert.deepInclude(line, { transport: "mcp", tool: "get_sessions", status: 200 })
      assert.isUndefined((yield* lineOf(server, "opening")).tool)
    }))

  it.effect("each line of a run has the id of the request that started it, also those of its failure and its end", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([[Script.fail("no money")]])
      const server = yield* listen({ agents: [Agent.make({ id: "assistant", model })] })
      const body = new URLSearchParams({ message: "hi", stream: "false", run_id: "r" })
      yield* send(server, "/agents/assistant/runs", { method: "POST", body, ...withId("the-request") })
      const lines = server.logs.filter(({ annotations }) => annotations["run_id"] === "r")
      assert.deepStrictEqual(
        lines.map(({ annotations, message }) => [message.replace(/:.*/, ""), annotations["request_id"]]),
        ["A run starts", "A run failed", "A run has ended as ERROR"].map((message) => [message, "the-request"])
      )
    }))

  it.effect("lines of a request and of its run have the id of their trace, whose spans have that of the request", () =>
    Effect.gen(function*() {
      const { spans, ...sink } = SpanSink.memory()
      const { model } = yield* Script.make([[Script.fail("no money")]])
      const server = yield* listen({ agents: [Agent.make({ id: "assistant", model })], spans: sink })
      const body = new URLSearchParams({ message: "hi", stream: "false", run_id: "r" })
      const { line } = yield* send(server, "/agents/assistant/runs", { method: "POST", body, ...withId("the-request") })
      const named = spans.filter(({ attributes }) => attributes["svc.request.id"] === "the-request")
      assert.sameMembers(named.map(({ name }) => name), ["POST /agents/:agent_id/runs", "invoke_agent assistant"])
      const [{ trace_id } = { trace_id: "" }] = named
      assert.strictEqual(line.trace_id, trace_id)
      const ofRun = server.logs.filter(({ annotations }) => annotations["run_id"] === "r")
      assert.deepStrictEqual(ofRun.map(({ annotations }) => annotations["trace_id"]), ofRun.map(() => trace_id))
      assert.lengthOf(ofRun, 3)
    }))

  it.effect("lines of a request whose trace is not sampled, or that has none, have no id of a trace", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([[Script.text("Hello")], [Script.text("Hello")]])
      const agents = [Agent.make({ id: "assistant", model })]
      const traceparent = `00-${"1".repeat(32)}-${"2".repeat(16)}-00`
      for (const options of [{}, { spans: SpanSink.memory() }]) {
        const server = yield* listen({ agents, ...options })
        const body = new URLSearchParams({ message: "hi", stream: "false", run_id: "r" })
        const { line } = yield* send(server, "/agents/assistant/runs", {
          method: "POST",
          body,
          headers: { traceparent }
        })
        assert.isUndefined(line.trace_id)
        for (const { annotations } of server.logs) assert.notProperty(annotations, "trace_id")
      }
    }))

  it.effect("the line of a client that disconnects before its response says so", () =>
    Effect.gen(function*() {
      const server = yield* listen()
      const socket = connect(server.port, server.host)
      const head = ["POST /agents/assistant/runs HTTP/1.1", "host: svc.test", "x-request-id: gone", "content-length: 9"]
      socket.write([...head, "content-type: application/x-www-form-urlencoded", "", "me"].join("\r\n"))
      yield* send(server, "/health")
      socket.destroy()
      assert.deepInclude(yield* lineOf(server, "gone"), { status: 499, aborted: true, request_bytes: 9 })
    }))

  it.effect("a request to which no handler responds has one line with the status of its response, which has its id", () =>
    Effect.gen(function*() {
      const server = yield* listen({ limits: { receiveMillis: 200 } })
      const id = (text: string) => `x-request-id: ${text}`
      const run = "POST /agents/assistant/runs"
      const route = "/agents/:agent_id/runs"
      const unfinished = Exchanges.head(run, id("late"), Exchanges.form, "content-length: 9") + "me"
      const chunked = Exchanges.head(run, id("broken"), Exchanges.form, "transfer-encoding: chunked") + "ZZ\r\n"
      const cases = [
        [unfinished, { status: 408, request_id: "late", route, method: "POST" }],
        [chunked, { status: 400, request_id: "broken", route, method: "POST" }],
        [Exchanges.head("GET /health", id("expecting"), "expect: 200-ok"), { status: 417, request_id: "expecting" }],
        [Exchanges.head("CONNECT svc.test:443", id("proxied")), { status: 405, request_id: "proxied" }],
        ["GET /agents HTTP/1.1\r\nhost", { status: 408, method: "UNKNOWN", route: "unmatched" }],
        ["GARBAGE\r\n\r\n", { status: 400, method: "UNKNOWN", route: "unmatched" }],
        [Exchanges.head("GET /agents", `x: ${"a".repeat(1_000_000)}`), { status: 413, method: "UNKNOWN" }]
      ] as const
      for (const [bytes, fields] of cases) {
        const before = server.requests.length
        const [reply] = Exchanges.replies(yield* Exchanges.exchange(server.port, bytes))
        const line = yield* found(() => server.requests[before])
        assert.deepInclude(line, { ...fields, aborted: undefined })
        if (reply !== undefined) assert.deepInclude(reply, { status: fields.status })
        if (reply !== undefined) assert.strictEqual(reply.headers.get("x-request-id"), line.request_id)
        assert.lengthOf(server.requests, before + 1)
      }
      const [, later] = Exchanges.replies(
        yield* Exchanges.exchange(server.port, `${Exchanges.head("GET /agents", id("first"))}GARBAGE\r\n\r\n`)
      )
      assert.strictEqual((yield* lineOf(server, "first")).status, 200)
      assert.strictEqual((yield* lineOf(server, later?.headers.get("x-request-id") ?? "")).status, 400)
    }))

  it.effect("the line of a socket comes when it closes, with the status of its handshake", () =>
    Effect.gen(function*() {
      const server = yield* listen()
      const socket = connect(server.port, server.host)
      const head = ["GET /workflows/ws HTTP/1.1", "host: svc.test", "x-request-id: socket", "upgrade: websocket"]
      const key = "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=="
      socket.write([...head, "connection: upgrade", "sec-websocket-version: 13", key, "", ""].join("\r\n"))
      const answer = yield* Effect.promise(() => once(socket, "data"))
      assert.match(String(answer[0]), /^HTTP\/1\.1 101 [^\r]+\r\nx-request-id: socket\r\n/)
      assert.lengthOf(server.requests, 0)
      // the frame of a client, masked with zeros
      const text = JSON.stringify({ action: "ping" })
      socket.write(Buffer.concat([Buffer.from([0x81, 0x80 + text.length, 0, 0, 0, 0]), Buffer.from(text)]))
      const message = yield* found(() => server.logs.find(({ annotations }) => annotations["action"] === "ping"))
      assert.deepInclude(message, { level: "DEBUG", message: "A message of a socket" })
      assert.deepInclude(message.annotations, { part: "http", request_id: "socket" })
      socket.destroy()
      const line = yield* lineOf(server, "socket")
      assert.deepInclude(line, { route: "/workflows/ws", status: 101, transport: "socket", aborted: undefined })
    }))
})

describe("X-Request-Id", () => {
  it.effect("the id of the client is given back and logged, and an id that it may not have is replaced", () =>
    Effect.gen(function*() {
      const server = yield* listen()
      assert.strictEqual((yield* send(server, "/agents", withId("abc/1-2:3"))).id, "abc/1-2:3")
      for (const bad of ["a b", "x".repeat(129), "a\"b", "a,b", "é"]) {
        const { id } = yield* send(server, "/agents", withId(bad))
        assert.match(id, /^[0-9a-f-]{36}$/)
      }
    }))
})
