// `GET /metrics/prometheus`: the text format, and series whose number is limited.
import { assert, describe, it } from "@effect/vitest"
import * as RemoteAgent from "@svc-runtime/agents/agent/remote/RemoteAgent"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as ProcessGauges from "@svc-runtime/http/process/ProcessGauges"
import * as Instruments from "@svc-runtime/telemetry/Instruments"
import * as Prices from "@svc-runtime/telemetry/Prices"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as RemoteServer from "./a2a/RemoteServer.ts"
import * as PrometheusText from "./PrometheusText.ts"

Tier.oneIn(8)

const text = (server: TestServer.Listening, path: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const response = await fetch(`${server.url}${path}`, init)
    return { type: response.headers.get("content-type"), text: await response.text() }
  })

const start = (server: TestServer.Listening, fields: Readonly<Record<string, string>>) =>
  text(server, "/agents/desk/runs", { method: "POST", body: new URLSearchParams({ message: "hi", ...fields }) })

const tools = [
  Tool.make({ name: "add", description: "Adds", execute: () => 2 }),
  Tool.make({ name: "pay", description: "Pays", execute: () => Promise.reject(new Error("no")) })
]

describe("GET /metrics/prometheus", () => {
  it.effect("requests, runs, tokens, models and tools are counted, in the text format of Prometheus", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([
        [Script.toolCall("add"), Script.toolCall("pay"), Script.usage({ input: 5, output: 1 })],
        [Script.text("Two."), Script.usage({ input: 7, output: 3 })],
        [Script.fail("The model is away")],
        [Script.text("Three.")],
        [Script.text("Four."), Script.usage({ input: 2, output: 1 })]
      ])
      const server = yield* TestServer.listen({ agents: [Agent.make({ id: "desk", model, tools })] })
      for (const stream of ["false", "false", "true"]) yield* start(server, { stream })
      yield* start(server, { stream: "false", evaluation: "true" })
      for (let n = 0; n < 20; n++) yield* text(server, `/nowhere/${n}`)
      const answer = yield* text(server, "/metrics/prometheus")
      assert.strictEqual(answer.type, "text/plain; version=0.0.4; charset=utf-8")
      const { families, value } = PrometheusText.parse(answer.text)
      const runs = { method: "POST", route: "/agents/:agent_id/runs" }
      assert.strictEqual(value("svc_http_requests_total", { ...runs, status: "200" }), 4)
      assert.strictEqual(value("svc_http_request_duration_seconds_count", runs), 4)
      const unknown = { method: "GET", route: "unmatched", status: "404" }
      assert.strictEqual(value("svc_http_requests_total", unknown), 20)
      const desk = { kind: "agent", component: "desk" }
      const [ordinary, evaluated] = [{ ...desk, evaluation: "false" }, { ...desk, evaluation: "true" }]
      assert.strictEqual(value("svc_runs_total", { ...ordinary, status: "COMPLETED" }), 2)
      assert.strictEqual(value("svc_runs_total", { ...ordinary, status: "ERROR" }), 1)
      assert.strictEqual(value("svc_runs_total", { ...evaluated, status: "COMPLETED" }), 1)
      assert.strictEqual(value("svc_run_duration_seconds_count", desk), 4)
      assert.strictEqual(value("svc_tokens_total", { ...ordinary, type: "input" }), 12)
      assert.strictEqual(value("svc_tokens_total", { ...ordinary, type: "output" }), 4)
      assert.strictEqual(value("svc_tokens_total", { ...evaluated, type: "input" }), 2)
      const named = { provider: model.provider, model: model.id }
      assert.strictEqual(value("svc_model_requests_total", { ...named, outcome: "ok" }), 4)
      assert.strictEqual(value("svc_model_requests_total", { ...named, outcome: "error" }), 1)
      assert.strictEqual(value("svc_tool_calls_total", { tool: "add", outcome: "ok" }), 1)
      assert.strictEqual(value("svc_tool_calls_total", { tool: "pay", outcome: "error" }), 1)
      assert.strictEqual(value("svc_run_first_event_seconds_count", { kind: "agent" }), 1)
      assert.isAtLeast(value("svc_event_lag_seconds_count", {}) ?? 0, 1)
      assert.strictEqual(value("svc_runs_held", {}), 0)
      assert.strictEqual(value("svc_runs_queued", {}), 0)
      assert.strictEqual(families.get("svc_http_request_duration_seconds"), "histogram")
    }))

  it.live("a run of a remote agent counts as a run with a call that sends its message, and not as model requests", () =>
    Effect.gen(function*() {
      const remote = yield* RemoteServer.make((_, response) =>
        RemoteServer.rpc(response, RemoteServer.task("COMPLETED"))
      )
      const server = yield* TestServer.listen({
        agents: [RemoteAgent.a2a({ id: "far", url: remote.url })],
        fetch: { allow: ["127.0.0.1"] }
      })
      yield* text(server, "/agents/far/runs", {
        method: "POST",
        body: new URLSearchParams({ message: "hi", stream: "false" })
      })
      const { samples, value } = PrometheusText.parse((yield* text(server, "/metrics/prometheus")).text)
      const run = { kind: "agent", component: "far", status: "COMPLETED", evaluation: "false" }
      assert.strictEqual(value("svc_runs_total", run), 1)
      assert.strictEqual(value("svc_tool_calls_total", { tool: "send_to_remote_agent", outcome: "ok" }), 1)
      assert.deepStrictEqual(samples.filter(({ name }) => name.startsWith("svc_model_")), [])
    }))

  it.effect("jobs that are due and wait for a node are counted by kind, without the database at the request", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([[Script.wait(Effect.never)]])
      const agents = [Agent.make({ id: "desk", model })]
      const server = yield* TestServer.listen({ agents, evaluations: { concurrency: 1 } })
      const body = JSON.stringify({
        agent_id: "desk",
        eval_type: "accuracy",
        input: "hi",
        expected_output: "hi",
        background: true
      })
      const headers = { "content-type": "application/json" }
      for (let n = 0; n < 3; n++) yield* text(server, "/eval-runs", { method: "POST", headers, body })
      for (let second = 0; second < 20; second++) yield* TestClock.adjust("1 second")
      const { families, value } = PrometheusText.parse((yield* text(server, "/metrics/prometheus")).text)
      assert.strictEqual(families.get("svc_jobs_waiting"), "gauge")
      assert.strictEqual(value("svc_jobs_waiting", { kind: "evaluation" }), 2)
      assert.strictEqual(value("svc_jobs_waiting", { kind: "experiment" }), 0)
    }))

  it.effect("each execution of a run counts what it has used itself, so that a continued run is counted once", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([
        [Script.toolCall("refund", {}, "call_1"), Script.usage({ input: 1000, output: 100 })],
        [Script.text("Done."), Script.usage({ input: 500, output: 50 })]
      ])
      const refund = Tool.make({ name: "refund", requiresConfirmation: true, execute: () => "refunded" })
      const agents = [Agent.make({ id: "desk", model, tools: [refund] })]
      const prices = Prices.make([{ models: ["scripted"], input: 1000, output: 0 }])
      const server = yield* TestServer.listen({ agents, prices })
      // counted by the engine when a run has ended, and not by the request that waits for it
      const counted = Effect.map(text(server, "/metrics/prometheus"), (answer) => {
        const { value } = PrometheusText.parse(answer.text)
        const desk = { kind: "agent", component: "desk", evaluation: "false" }
        return [
          value("svc_tokens_total", { ...desk, type: "input" }),
          value("svc_tokens_total", { ...desk, type: "output" }),
          value("svc_cost_usd_total", desk)
        ]
      })
      const after = (before: number) => Effect.repeat(counted, { until: ([tokens]) => tokens !== before, times: 500 })
      yield* start(server, { run_id: "r", session_id: "s", stream: "false" })
      assert.deepStrictEqual(yield* after(0), [1000, 100, 1])
      const decisions = JSON.stringify([{ tool_call_id: "call_1", confirmed: true }])
      const body = new URLSearchParams({ session_id: "s", stream: "false", tools: decisions })
      const ended = yield* text(server, "/agents/desk/runs/r/continue", { method: "POST", body })
      assert.deepInclude(JSON.parse(ended.text).metrics, { input_tokens: 1500, output_tokens: 150, cost: 1.5 })
      assert.deepStrictEqual(yield* after(1000), [1500, 150, 1.5])
    }))

  it.effect("a run of an evaluation counts as such when it continues", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([
        [Script.toolCall("refund", {}, "call_1")],
        [Script.text("Done."), Script.usage({ input: 5, output: 1 })]
      ])
      const refund = Tool.make({ name: "refund", requiresConfirmation: true, execute: () => "refunded" })
      const server = yield* TestServer.listen({ agents: [Agent.make({ id: "desk", model, tools: [refund] })] })
      yield* start(server, { run_id: "r", session_id: "s", stream: "false", evaluation: "true" })
      const decisions = JSON.stringify([{ tool_call_id: "call_1", confirmed: true }])
      const body = new URLSearchParams({ session_id: "s", stream: "false", tools: decisions })
      yield* text(server, "/agents/desk/runs/r/continue", { method: "POST", body })
      const { value } = PrometheusText.parse((yield* text(server, "/metrics/prometheus")).text)
      const desk = { kind: "agent", component: "desk" }
      const evaluated = { ...desk, evaluation: "true" }
      assert.strictEqual(value("svc_runs_total", { ...evaluated, status: "PAUSED" }), 1)
      assert.strictEqual(value("svc_runs_total", { ...evaluated, status: "COMPLETED" }), 1)
      assert.strictEqual(value("svc_tokens_total", { ...evaluated, type: "input" }), 5)
      assert.isUndefined(value("svc_runs_total", { ...desk, evaluation: "false", status: "COMPLETED" }))
    }))

  it.effect("the processor time of the process is a counter, under the name that other programs use", () =>
    Effect.gen(function*() {
      const instruments = Instruments.make()
      yield* Effect.provideService(Layer.build(ProcessGauges.layer), Instruments.Instruments, instruments)
      const { families, value } = PrometheusText.parse(instruments.format())
      assert.strictEqual(families.get("process_cpu_seconds_total"), "counter")
      assert.isAbove(value("process_cpu_seconds_total", {}) ?? 0, 0)
      assert.strictEqual(families.get("process_resident_memory_bytes"), "gauge")
    }))

  it.effect("runs up to hours long have buckets of their own", () =>
    Effect.sync(() => {
      const instruments = Instruments.make()
      for (const seconds of [400, 3000, 9000]) {
        instruments.runEnded({
          component: { kind: "workflow", id: "w" },
          status: "COMPLETED",
          seconds,
          inputTokens: 0,
          outputTokens: 0,
          cost: 0
        })
      }
      const { value } = PrometheusText.parse(instruments.format())
      const under = (le: string) =>
        value("svc_run_duration_seconds_bucket", { kind: "workflow", component: "other", le })
      assert.deepStrictEqual(["300", "600", "3600", "+Inf"].map(under), [0, 1, 2, 3])
    }))

  it.effect.runIf(Tier.isWhole)(
    "names that only callers and factories know make no series of their own without a limit",
    () =>
      Effect.sync(() => {
        const instruments = Instruments.make([{ kind: "agent", id: "desk" }])
        const end = { status: "COMPLETED", seconds: 1, inputTokens: 1, outputTokens: 1, cost: 0.5 }
        const isError = false
        for (let n = 0; n < 10_000; n++) {
          instruments.request({ method: `M${n}`, route: "unmatched", status: 405, seconds: 0.1 })
          instruments.runEnded({ component: { kind: "agent", id: `made-${n}` }, ...end })
          instruments.modelEnded({ model: { id: `model-${n}`, provider: `p-${n}` }, isError, seconds: 1 })
          instruments.toolEnded({ tool: `tool-${n}`, isError, seconds: 1 })
        }
        instruments.runEnded({ component: { kind: "agent", id: "desk" }, ...end })
        const { samples, value } = PrometheusText.parse(instruments.format())
        const others = { kind: "agent", component: "other", evaluation: "false" }
        assert.strictEqual(value("svc_runs_total", { ...others, status: "COMPLETED" }), 10_000)
        assert.strictEqual(value("svc_runs_total", { ...others, component: "desk", status: "COMPLETED" }), 1)
        // from the start, so that Prometheus sees the first failure
        assert.strictEqual(value("svc_runs_total", { ...others, component: "desk", status: "ERROR" }), 0)
        assert.strictEqual(value("svc_cost_usd_total", others), 5000)
        assert.strictEqual(
          value("svc_http_requests_total", { method: "other", route: "unmatched", status: "405" }),
          10_000
        )
        const models = samples.filter(({ name }) => name === "svc_model_requests_total")
        const known = samples.filter(({ name }) => name === "svc_tool_calls_total")
        assert.deepStrictEqual([models.length, known.length], [51, 201])
        assert.isBelow(samples.length, 6000)
      })
  )

  it.effect("labels with quotes, backslashes and line breaks stay within their series", () =>
    Effect.sync(() => {
      const instruments = Instruments.make()
      const id = "a\"b\\c\nsvc_runs_total 7"
      instruments.modelEnded({ model: { id, provider: "p" }, isError: false, seconds: 1 })
      const { value } = PrometheusText.parse(instruments.format())
      assert.strictEqual(value("svc_model_requests_total", { provider: "p", model: id, outcome: "ok" }), 1)
    }))
})
