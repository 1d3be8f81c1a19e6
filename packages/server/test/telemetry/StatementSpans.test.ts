// The spans of statements of the database.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import { TraceBuffer } from "@svc-runtime/features/traces/TraceWriter"
import * as SpanSink from "@svc-runtime/telemetry/SpanSink"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { at, get, list, runWhole } from "../Wire.ts"

const traced = Effect.fnUntraced(function*(statements: boolean) {
  const sink = SpanSink.memory()
  const { model } = yield* Script.make([[Script.toolCall("look")], [Script.text("Hello.")]])
  const look = Tool.make({ name: "look", execute: () => "seen" })
  const server = yield* TestServer.make({
    agents: [Agent.make({ id: "guide", model, tools: [look] })],
    spans: sink,
    traces: new TraceBuffer({ hasContent: true }),
    statements
  })
  yield* runWhole(server, "guide", { message: "A secret", session_id: "s" })
  const { json } = yield* get(server, "/traces")
  const tree = yield* get(server, `/traces/${String(at(list(json, "data")[0], "trace_id"))}`)
  return { spans: sink.spans, nodes: list(list(tree.json, "tree")[0], "spans") }
})

describe("spans of statements", () => {
  it.live("the spans are inside of the run or request that executes them, with what is asked and no values", () =>
    Effect.gen(function*() {
      const { nodes, spans } = yield* traced(true)
      const statements = spans.filter(({ attributes }) => attributes["db.system.name"] !== undefined)
      const run = spans.find(({ name }) => name === "invoke_agent guide")
      const finish = statements.find(({ name }) => name === "finish runs")
      assert.deepStrictEqual(finish?.attributes, {
        "openinference.span.kind": "CHAIN",
        "db.system.name": "postgresql",
        "db.namespace": "main-db",
        "db.collection.name": "runs",
        "db.operation.name": "finish",
        "db.query.summary": "finish runs"
      })
      assert.deepStrictEqual(
        [finish?.kind, finish?.status, finish?.trace_id, finish?.parent_span_id, finish?.run_id],
        ["client", "OK", run?.trace_id, run?.span_id, run?.run_id]
      )
      const names = new Map(spans.map(({ name, span_id }) => [span_id, name]))
      const begin = statements.find(({ name }) => name === "create runs")
      assert.strictEqual(names.get(begin?.parent_span_id ?? ""), "POST /agents/:agent_id/runs")
      assert.isTrue(statements.some(({ name }) => name === "list traces"))
      assert.isFalse(statements.some(({ name }) => name === "write traces"))
      assert.isTrue(statements.every(({ parent_span_id }) => names.has(parent_span_id ?? "")))
      assert.notInclude(JSON.stringify(statements), "A secret")
      const node = nodes.find((each) => at(each, "name") === "finish runs")
      assert.strictEqual(at(node, "type"), "STATEMENT")
      assert.deepInclude(at(node, "metadata"), { database: "main-db", store: "runs", method: "finish" })
    }))

  it.live("statements have no spans without the setting", () =>
    Effect.gen(function*() {
      assert.isFalse((yield* traced(false)).spans.some(({ attributes }) => attributes["db.system.name"] !== undefined))
    }))
})
