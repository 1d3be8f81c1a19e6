// OTEL_PROPAGATORS: whether the service sends the trace context to other servers, and continues that of its callers.
import { assert, describe, it } from "@effect/vitest"
import * as RemoteAgent from "@svc-runtime/agents/agent/remote/RemoteAgent"
import * as Agent from "@svc-runtime/features/Agent"
import { TraceBuffer } from "@svc-runtime/features/traces/TraceWriter"
import { Config } from "@svc-runtime/server"
import { SpanTracer } from "@svc-runtime/telemetry/SpanTracer"
import type { TestServer } from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import { ConfigProvider, Effect, Tracer } from "effect"
import * as McpTools from "../../src/mcpClient/McpTools.ts"
import * as Tracing from "../../src/telemetry/Tracing.ts"
import * as RemoteServer from "../a2a/RemoteServer.ts"
import * as Mcp from "../mcp/Mcp.ts"
import * as RawServer from "../mcpClient/RawServer.ts"
import { ask, at } from "../Wire.ts"
import { plainFlow } from "../wire/Flows.ts"
import { listenTraced } from "../wire/TracedRuns.ts"
import { open as openSocket } from "../ws/SocketClient.ts"

Tier.oneIn(3)

const trace = "0af7651916cd43dd8448eb211c80319c"
const context = { traceparent: `00-${trace}-b7ad6b7169203331-01`, tracestate: "vendor=1" }

/** What the setting decides. */
const settingsOf = (propagators: string) =>
  Config.pipe(
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ OTEL_PROPAGATORS: propagators }))),
    Effect.map(({ traces }) => traces)
  )

const callOf = { id: "call_1", name: "echo", arguments: ["{\"text\": \"hi\"}"] }

/** A service whose agents request a model, a remote agent and an MCP server. */
const serving = Effect.fnUntraced(function*(propagators: string) {
  const { propagates } = yield* settingsOf(propagators)
  const provider = yield* OpenAiChat.answering(({ body }) =>
    JSON.stringify(body).includes("\"role\":\"tool\"") ? Reply.text("Done") : Reply.answer({ toolCalls: [callOf] })
  )
  const cards: Array<Readonly<Record<string, unknown>>> = []
  const remote = yield* RemoteServer.make(
    (_, response) =>
      RemoteServer.rpc(response, { message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "Hi" }] } }),
    { onCard: (headers) => void cards.push(headers) }
  )
  const mcp = yield* RawServer.listen()
  const caring = Agent.make({
    id: "caring",
    model: "openai-compatible:small",
    tools: [McpTools.make({ name: "raw", url: mcp.url })]
  })
  const service = yield* listenTraced({
    agents: [RemoteAgent.a2a({ id: "far", url: remote.url }), caring],
    workflows: [plainFlow],
    fetch: { allow: ["127.0.0.1"] },
    openaiBaseUrl: provider.url,
    propagates
  })
  const sent = Effect.map(provider.requests, (requests) => ({
    models: requests.map(({ headers }) => headers),
    remoteAgents: [...cards, ...remote.received.map(({ headers }) => headers)],
    mcpServers: mcp.seen.map(({ headers }) => headers),
    calls: mcp.seen.filter(({ method }) => method === "tools/call")
      .map(({ params }) => params["_meta"] as Readonly<Record<string, unknown>>)
  }))
  return { ...service, sent }
})

const run = (server: TestServer, id: string) =>
  ask(server, `/agents/${id}/runs`, {
    method: "POST",
    headers: context,
    body: new URLSearchParams({ message: "hi", stream: "false" })
  })

/** The fields of the context among these, without the span. */
const contextIn = (fields: Readonly<Record<string, unknown>>) =>
  Object.entries(fields).filter(([name]) => name.startsWith("trace")).map(([name, value]) =>
    `${name}: ${String(value).replace(/-[0-9a-f]{16}-/, "-SPAN-")}`
  ).toSorted()

const passedOn = [`traceparent: 00-${trace}-SPAN-01`, "tracestate: vendor=1"]

describe.each([["tracecontext", true], ["none", false]])("OTEL_PROPAGATORS=%s", (propagators, propagates) => {
  it.live("the setting decides whether models, remote agents and calls of MCP servers get the context", () =>
    Effect.gen(function*() {
      const { sent, server } = yield* serving(propagators)
      for (const id of ["far", "caring"]) yield* run(server, id)
      const { calls, mcpServers, models, remoteAgents } = yield* sent
      const expected = propagates ? passedOn : []
      assert.deepStrictEqual(models.map(contextIn), [expected, expected])
      assert.deepStrictEqual(remoteAgents.map(contextIn), [expected, expected])
      assert.deepStrictEqual(calls.map(contextIn), [expected])
      const withContext = mcpServers.map(contextIn).filter((fields) => fields.length > 0)
      assert.deepStrictEqual(withContext, propagates ? [passedOn] : [])
    }))

  it.live("the setting decides whether requests, calls over MCP and messages of sockets continue their traces", () =>
    Effect.gen(function*() {
      const { server, spans, url } = yield* serving(propagators)
      yield* run(server, "caring")
      const session = yield* Mcp.open(server)
      const params = { name: "run_agent", arguments: { agent_id: "caring", message: "hi" }, _meta: context }
      yield* Mcp.post(server, Mcp.request("tools/call", params), { headers: session.headers })
      const socket = yield* openSocket(url)
      yield* socket.next
      yield* socket.send({ action: "start-workflow", workflow_id: "plain", message: "go", ...context })
      let frame = yield* socket.next
      while (at(frame, "event") !== "WorkflowCompleted") frame = yield* socket.next

      const entries = ["POST /agents/:agent_id/runs", "tools/call run_agent", "socket start-workflow"]
      const continued = entries.map((entry) => spans.find(({ name }) => name === entry)?.trace_id === trace)
      assert.deepStrictEqual(continued, entries.map(() => propagates))
      const runs = spans.filter(({ name }) => /^invoke_(agent|workflow) /.test(name))
      assert.deepStrictEqual(runs.map(({ trace_id }) => trace_id === trace), [propagates, propagates, propagates])
    }))

  it.effect("the tracer of a service has the setting", () =>
    Effect.gen(function*() {
      const settings = yield* settingsOf(propagators)
      const layer = Tracing.layer(settings, "node", new TraceBuffer({ hasContent: false }))
      const tracer = yield* Effect.provide(Tracer.Tracer, layer)
      assert.strictEqual(tracer instanceof SpanTracer && tracer.propagates, propagates)
    }))
})
