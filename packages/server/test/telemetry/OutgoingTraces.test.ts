// The trace context of requests that leave the service: only those to servers that its author names have it.
import { assert, describe, it } from "@effect/vitest"
import * as RemoteAgent from "@svc-runtime/agents/agent/remote/RemoteAgent"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as SpanSink from "@svc-runtime/telemetry/SpanSink"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Queue } from "effect"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import * as McpTools from "../../src/mcpClient/McpTools.ts"
import * as RemoteServer from "../a2a/RemoteServer.ts"
import { message, rpc } from "../a2a/Requests.ts"
import { isServed } from "../authorization/Endpoints.ts"
import { serveKnowledge, uploadContent } from "../Contents.ts"
import * as RawServer from "../mcpClient/RawServer.ts"
import { always, ask, at, get, list, post } from "../Wire.ts"
import { plain } from "../wire/Fixtures.ts"
import { delegate } from "../wire/TeamFlow.ts"
import { listenTraced, newest } from "../wire/TracedRuns.ts"

Tier.oneIn(6)

const fetch = { allow: ["127.0.0.1"] }

const caller = { trace: "0af7651916cd43dd8448eb211c80319c", span: "b7ad6b7169203331" }

/** A request of a caller whose trace the service continues. */
const start = (server: TestServer.TestServer, path: string, sampled = true) =>
  ask(server, path, {
    method: "POST",
    headers: {
      traceparent: `00-${caller.trace}-${caller.span}-${sampled ? "01" : "00"}`,
      tracestate: "vendor=1"
    },
    body: new URLSearchParams({ message: "hi", stream: "false" })
  })

const answering = (_: RemoteServer.Received, response: Parameters<RemoteServer.Answer>[1]) =>
  RemoteServer.rpc(response, { message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "Hi" }] } })

const contextOf = (fields: Readonly<Record<string, unknown>> | undefined) => [
  fields?.["traceparent"],
  fields?.["tracestate"]
]

const noContext = [undefined, undefined]

describe("requests to remote agents", () => {
  it.live("a team with a member in another service has one trace in both stores", () =>
    Effect.gen(function*() {
      const remote = yield* listenTraced({ agents: [(yield* plain).agent] })
      const far = RemoteAgent.a2a({ id: "far", url: `${remote.url}/a2a/agents/plain` })
      const { model } = yield* Script.make([[delegate("far", "call_1")], [Script.text("Done.")]])
      const desk = yield* listenTraced({ teams: [Team.make({ id: "desk", model, members: [far] })], fetch })
      const { json } = yield* start(desk.server, "/teams/desk/runs")
      assert.deepInclude(json, { status: "COMPLETED" })

      for (const { server } of [desk, remote]) {
        const { traces } = yield* newest(server)
        assert.deepStrictEqual(traces.map((trace) => at(trace, "trace_id")), [caller.trace])
      }
      assert.deepStrictEqual((yield* newest(remote.server)).tree, [
        "AGENT invoke_agent plain",
        "  LLM chat scripted"
      ])
      const spanIn = ({ spans }: typeof desk, name: string) => spans.find((span) => span.name === name)
      const run = spanIn(remote, "invoke_agent plain")
      const request = remote.spans.find(({ span_id }) => span_id === run?.parent_span_id)
      assert.strictEqual(request?.name, "POST /a2a/agents/:id")
      assert.strictEqual(request?.trace_state, "vendor=1")
      assert.strictEqual(request?.parent_span_id, spanIn(desk, "execute_tool send_to_remote_agent")?.span_id)
      // a run elsewhere, and no request to a model
      assert.deepInclude(spanIn(desk, "invoke_agent far"), { kind: "client" })
    }))

  it.live("each request to a remote agent has the context of the span around it, also the one for its card", () =>
    Effect.gen(function*() {
      const cards: Array<IncomingHttpHeaders> = []
      const remote = yield* RemoteServer.make(answering, { onCard: (headers) => void cards.push(headers) })
      const { server, spans } = yield* listenTraced({
        agents: [RemoteAgent.a2a({ id: "far", url: remote.url })],
        fetch
      })
      yield* start(server, "/agents/far/runs")
      const sending = spans.find(({ name }) => name === "execute_tool send_to_remote_agent")
      const expected = [`00-${caller.trace}-${sending?.span_id}-01`, "vendor=1"]
      assert.deepStrictEqual([...cards, ...remote.received.map(({ headers }) => headers)].map(contextOf), [
        expected,
        expected
      ])
    }))

  it.live("a trace that is not sampled is sent as not sampled", () =>
    Effect.gen(function*() {
      const remote = yield* RemoteServer.make(answering)
      const { server } = yield* listenTraced({ agents: [RemoteAgent.a2a({ id: "far", url: remote.url })], fetch })
      yield* start(server, "/agents/far/runs", false)
      const [traceparent] = contextOf(remote.received[0]?.headers)
      assert.match(String(traceparent), new RegExp(`^00-${caller.trace}-[0-9a-f]{16}-00$`))
    }))

  it.live("a header of the author goes before that of the trace", () =>
    Effect.gen(function*() {
      const remote = yield* RemoteServer.make(answering)
      const headers = { Traceparent: "of the author", Tracestate: "too" }
      const far = RemoteAgent.a2a({ id: "far", url: remote.url, headers })
      const { server } = yield* listenTraced({ agents: [far], fetch })
      yield* start(server, "/agents/far/runs")
      assert.deepStrictEqual(contextOf(remote.received[0]?.headers), ["of the author", "too"])
    }))

  it.live("a card that is redirected to another origin is asked for without the context", () =>
    Effect.gen(function*() {
      const seen: Array<IncomingHttpHeaders> = []
      const elsewhere = yield* RemoteServer.make(answering, { onCard: (headers) => void seen.push(headers) })
      const moved = yield* site((path) => ({ status: 302, headers: { location: `${elsewhere.url}${path}` } }))
      const far = RemoteAgent.a2a({ id: "far", url: moved.url, origins: [elsewhere.url] })
      const { server } = yield* listenTraced({ agents: [far], fetch })
      yield* start(server, "/agents/far/runs")
      assert.match(String((yield* moved.next).headers["traceparent"]), new RegExp(caller.trace))
      assert.deepStrictEqual(seen.map(contextOf), [noContext])
    }))
})

/** An agent that calls the tool of the server once in a run. */
const caring = Effect.fnUntraced(function*(options: McpTools.Options) {
  const { model } = yield* Script.make([[Script.toolCall("echo", { text: "hi" })], [Script.text("Done")]])
  return Agent.make({ id: "caring", model, tools: [McpTools.make(options)] })
})

const callIn = (mcp: Effect.Success<ReturnType<typeof RawServer.listen>>) => {
  const call = mcp.seen.find(({ method }) => method === "tools/call")
  return { meta: call?.params["_meta"] as Readonly<Record<string, unknown>> | undefined, headers: call?.headers }
}

describe("calls of MCP servers", () => {
  it.live("a call has the context of its span in its metadata and as headers", () =>
    Effect.gen(function*() {
      const mcp = yield* RawServer.listen()
      const { server, spans } = yield* listenTraced({ agents: [yield* caring({ name: "raw", url: mcp.url })], fetch })
      yield* start(server, "/agents/caring/runs")
      const calling = spans.find(({ name }) => name === "execute_tool echo")
      const { headers, meta } = callIn(mcp)
      const expected = [`00-${caller.trace}-${calling?.span_id}-01`, "vendor=1"]
      assert.deepStrictEqual(contextOf(meta), expected)
      assert.deepStrictEqual(contextOf(headers), expected)
      assert.property(meta, "svc/effect_id")
    }))

  it.live("a header of the author goes before that of the trace", () =>
    Effect.gen(function*() {
      const mcp = yield* RawServer.listen()
      const headers = { Traceparent: "of the author", Tracestate: "too" }
      const agents = [yield* caring({ name: "raw", url: mcp.url, headers })]
      const { server } = yield* listenTraced({ agents, fetch })
      yield* start(server, "/agents/caring/runs")
      assert.deepStrictEqual(contextOf(callIn(mcp).headers), ["of the author", "too"])
    }))

  it.live("a run whose agent calls an agent of another service over MCP has one trace in both stores", () =>
    Effect.gen(function*() {
      const remote = yield* listenTraced({ agents: [(yield* plain).agent] })
      const { model } = yield* Script.make([
        [Script.toolCall("run_agent", { agent_id: "plain", message: "hi" })],
        [Script.text("Done")]
      ])
      const tools = [McpTools.make({ name: "other", url: `${remote.url}/mcp`, include: ["run_agent"] })]
      const own = yield* listenTraced({ agents: [Agent.make({ id: "caring", model, tools })], fetch })
      assert.deepInclude((yield* start(own.server, "/agents/caring/runs")).json, { status: "COMPLETED" })
      for (const { server } of [own, remote]) {
        const { traces } = yield* newest(server)
        assert.deepStrictEqual(traces.map((trace) => at(trace, "trace_id")), [caller.trace])
      }
      const calling = own.spans.find(({ name }) => name === "execute_tool run_agent")
      const called = remote.spans.find(({ name }) => name === "tools/call run_agent")
      assert.strictEqual(called?.parent_span_id, calling?.span_id)
    }))
})

describe("a service without traces", () => {
  it.live("the service sends no context to remote agents and MCP servers", () =>
    Effect.gen(function*() {
      const remote = yield* RemoteServer.make(answering)
      const mcp = yield* RawServer.listen()
      const agents = [
        RemoteAgent.a2a({ id: "far", url: remote.url }),
        yield* caring({ name: "raw", url: mcp.url })
      ]
      const server = yield* TestServer.make({ agents, fetch })
      for (const { id } of agents) yield* start(server, `/agents/${id}/runs`)
      const { headers, meta } = callIn(mcp)
      assert.deepStrictEqual(
        [remote.received[0]?.headers, meta, headers].map(contextOf),
        [noContext, noContext, noContext]
      )
    }))
})

interface Visit {
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

/** A server that a caller names, and its visits. */
const site = Effect.fnUntraced(function*(
  answer: (path: string) => { readonly status: number; readonly headers: Readonly<Record<string, string>> }
) {
  const visits = yield* Queue.unbounded<Visit>()
  const server = createServer((request, response) => {
    const path = request.url ?? ""
    request.resume().on("end", () => {
      Queue.offerUnsafe(visits, { path, headers: request.headers })
      const { headers, status } = answer(path)
      response.writeHead(status, headers).end(status === 200 ? "Trains are booked by the office." : "")
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.sync(() => server.close().closeAllConnections())
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, next: Queue.take(visits) }
})

describe("addresses that callers name", () => {
  it.live("webhooks, the receivers of A2A and pages of knowledge are called without the context", () =>
    Effect.gen(function*() {
      const { next, url } = yield* site((path) =>
        path === "/page.txt" ? { status: 200, headers: { "content-type": "text/plain" } } : { status: 204, headers: {} }
      )
      const { model } = yield* always(Script.text("Hello."))
      const spans = SpanSink.memory()
      const { jobEnd, server } = yield* serveKnowledge({ agents: [Agent.make({ id: "plain", model })], fetch, spans })

      const hasWebhooks = isServed("POST /webhooks")
      if (hasWebhooks) yield* post(server, "/webhooks", { url: `${url}/webhook`, events: ["run.completed"] })
      yield* start(server, "/agents/plain/runs")
      if (hasWebhooks) {
        const webhook = yield* next
        assert.deepStrictEqual([webhook.path, ...contextOf(webhook.headers)], ["/webhook", ...noContext])
        for (const { id } of list((yield* get(server, "/webhooks")).json, "data") as ReadonlyArray<{ id: string }>) {
          yield* ask(server, `/webhooks/${id}`, { method: "DELETE" })
        }
        yield* jobEnd
      }

      const configuration = { taskPushNotificationConfig: { url: `${url}/receiver` } }
      yield* rpc(server, "SendMessage", { ...message(), configuration })
      const pushed = yield* next
      assert.deepStrictEqual([pushed.path, ...contextOf(pushed.headers)], ["/receiver", ...noContext])

      yield* uploadContent(server, { fields: { url: `${url}/page.txt` } })
      let page = yield* next
      while (page.path !== "/page.txt") page = yield* next
      assert.deepStrictEqual(contextOf(page.headers), noContext)
      assert.isTrue(spans.spans.some(({ trace_id }) => trace_id === caller.trace))
    }))
})
