// The spans of a run of each kind, as trees of their names.
import { assert, describe, it } from "@effect/vitest"
import * as Span from "@svc-runtime/domain/Span"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as SpanSink from "@svc-runtime/telemetry/SpanSink"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as SpanTree from "@svc-runtime/test-support/SpanTree"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect, Schema } from "effect"

const form = (fields: Readonly<Record<string, string>>) => {
  const body = new FormData()
  for (const [key, value] of Object.entries(fields)) body.append(key, value)
  return { method: "POST", body }
}

const run = (server: TestServer.TestServer, path: string, fields: Readonly<Record<string, string>> = {}) =>
  server.fetch(`/${path}/runs`, form({ message: "How are you?", stream: "false", ...fields }))

describe("spans of runs", () => {
  it.effect("a run of an agent with a tool has a span for each request to the model and each call", () =>
    Effect.gen(function*() {
      const sink = SpanSink.memory()
      const { model } = yield* Script.make([
        [
          Script.part({ type: "response-metadata", id: "response", modelId: "scripted-2" }),
          Script.toolCall("weather", { city: "Bern" }),
          Script.usage({ input: 5, output: 2 })
        ],
        [Script.text("Sunny"), Script.usage({ input: 9, output: 1 })]
      ])
      const weather = Tool.make({
        name: "weather",
        parameters: { type: "object", properties: { city: { type: "string" } } },
        execute: () => Effect.withSpan(Effect.succeed("21 degrees"), "station")
      })
      const server = yield* TestServer.make({
        agents: [Agent.make({ id: "guide", model: { ...model, settings: { temperature: 0.5 } }, tools: [weather] })],
        spans: sink
      })
      const response = yield* run(server, "agents/guide", { user_id: "ann" })
      const { run_id, session_id } = yield* Effect.promise(() => response.json())
      assert.deepStrictEqual(SpanTree.of(sink.spans), [
        "POST /agents/:agent_id/runs | UNSET",
        "  invoke_agent guide",
        "    chat scripted",
        "    execute_tool weather",
        "      station",
        "    chat scripted"
      ])
      const [first, , call, second, root, request] = sink.spans
      assert.deepInclude(request?.attributes, {
        "http.request.method": "POST",
        "http.route": "/agents/:agent_id/runs",
        "http.response.status_code": 200,
        "url.path": "/agents/guide/runs"
      })
      assert.deepInclude(request, { kind: "server", run_id: null, session_id: null })
      assert.deepInclude(root?.attributes, {
        "openinference.span.kind": "AGENT",
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "guide",
        "gen_ai.conversation.id": session_id,
        "session.id": session_id,
        "user.id": "ann",
        "svc.agent.id": "guide",
        "svc.attempt": 1,
        "svc.run.status": "COMPLETED",
        "input.value": "How are you?",
        "output.value": "Sunny"
      })
      assert.deepInclude(first?.attributes, {
        "openinference.span.kind": "LLM",
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "scripted",
        "gen_ai.request.temperature": 0.5,
        "gen_ai.response.id": "response",
        "gen_ai.response.model": "scripted-2",
        "gen_ai.response.finish_reasons": ["tool_call"],
        "gen_ai.usage.input_tokens": 5,
        "gen_ai.usage.output_tokens": 2,
        "input.value": JSON.stringify([{ role: "user", parts: [{ type: "text", content: "How are you?" }] }])
      })
      assert.deepInclude(second?.attributes, {
        "gen_ai.usage.input_tokens": 9,
        "gen_ai.usage.output_tokens": 1,
        "gen_ai.response.finish_reasons": ["stop"]
      })
      assert.deepInclude(call?.attributes, {
        "openinference.span.kind": "TOOL",
        "gen_ai.tool.name": "weather",
        "gen_ai.tool.call.id": "call_1",
        "input.value": "{\"city\":\"Bern\"}",
        "output.value": "21 degrees"
      })
      for (const span of sink.spans) {
        Schema.decodeUnknownSync(Span.Span)(span)
        if (span !== request) {
          assert.deepInclude(span, { run_id, session_id, user_id: "ann", agent_id: "guide", team_id: null })
        }
      }
    }))
})
