// The spans of runs of each kind and from each transport, as trees of their names.
import { assert, describe, it } from "@effect/vitest"
import * as Loop from "@svc-runtime/agents/workflow/define/Loop"
import * as Parallel from "@svc-runtime/agents/workflow/define/Parallel"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as SpanSink from "@svc-runtime/telemetry/SpanSink"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as SpanTree from "@svc-runtime/test-support/SpanTree"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import { open as openMcp, post as postMcp, request } from "../mcp/Mcp.ts"
import { at, get, runWhole, serve } from "../Wire.ts"
import { first, last, plainFlow, post, proceed, resolved, start } from "../wire/Flows.ts"
import { delegate } from "../wire/TeamFlow.ts"
import { open as openSocket } from "../ws/SocketClient.ts"

Tier.oneIn(6)

const caller = { trace: "0af7651916cd43dd8448eb211c80319c", span: "b7ad6b7169203331" }
const traceparent = `00-${caller.trace}-${caller.span}-01`

const traced = Effect.fnUntraced(function*(options: TestServer.Options) {
  const sink = SpanSink.memory()
  const server = yield* serve({ ...options, spans: sink })
  return { server, spans: sink.spans, tree: () => SpanTree.of(sink.spans) }
})

const agentOf = Effect.fnUntraced(function*(id: string, ...turns: ReadonlyArray<Script.Turn>) {
  const { model } = yield* Script.make(turns)
  return Agent.make({ id, model })
})

const untilEnded = (server: TestServer.TestServer, path: string) =>
  Effect.repeat(Effect.andThen(Effect.yieldNow, get(server, path)), {
    until: ({ json }) => ["COMPLETED", "ERROR"].includes(String(at(json, "status")))
  })

describe("the tree of spans", () => {
  it.effect("members of a team are inside of the call that delegates to them", () =>
    Effect.gen(function*() {
      const writer = yield* agentOf("writer", [Script.text("A text")])
      const { model } = yield* Script.make([[delegate("writer", "call_1")], [Script.text("Here it is")]])
      const { server, spans, tree } = yield* traced({ teams: [Team.make({ id: "desk", model, members: [writer] })] })
      yield* post(server, "/teams/desk/runs", { message: "Write", stream: "false", session_id: "s" })
      assert.deepStrictEqual(tree(), [
        "POST /teams/:team_id/runs | UNSET",
        "  invoke_agent desk",
        "    chat scripted",
        "    execute_tool delegate_task_to_member",
        "      invoke_agent writer",
        "        chat scripted",
        "    chat scripted"
      ])
      const [of, member] = ["desk", "writer"].map((id) => spans.find(({ name }) => name === `invoke_agent ${id}`))
      assert.deepInclude(of, { team_id: "desk", agent_id: null, session_id: "s" })
      assert.deepInclude(member, { team_id: null, agent_id: "writer", session_id: "s" })
      assert.notStrictEqual(member?.run_id, of?.run_id)
    }))

  it.effect("each step of a workflow has a span, with containers around the steps inside of them", () =>
    Effect.gen(function*() {
      const agent = yield* agentOf("guide", [Script.text("Left")])
      const flow = Workflow.make({
        id: "flow",
        steps: [
          first,
          Parallel.make({ name: "both", steps: [Step.make({ name: "ask", agent }), last] }),
          Loop.make({ name: "twice", maxIterations: 2, steps: [last] }),
          Step.make({ name: "inner", workflow: plainFlow })
        ]
      })
      const { server, spans, tree } = yield* traced({ workflows: [flow] })
      yield* start(server, "flow")
      assert.deepStrictEqual(tree(), [
        "POST /workflows/:workflow_id/runs | UNSET",
        "  invoke_workflow flow",
        "    step first",
        "    step both",
        "      step ask",
        "        invoke_agent guide",
        "          chat scripted",
        "      step last",
        "    step twice",
        "      step last",
        "      step last",
        "    step inner",
        "      invoke_workflow plain",
        "        step first",
        "        step last"
      ])
      const root = spans.find(({ name }) => name === "invoke_workflow flow")
      assert.deepInclude(root?.attributes, {
        "openinference.span.kind": "CHAIN",
        "svc.workflow.steps_count": 4,
        "svc.workflow.steps": ["first", "both", "twice", "inner"],
        "svc.workflow.step_types": ["Step", "Parallel", "Loop", "Step"],
        "input.value": "go"
      })
      const inner = spans.find(({ name }) => name === "step twice")
      assert.deepInclude(inner, { run_id: "r", session_id: "s", workflow_id: "flow" })
    }))

  it.effect("a failed step, a failed call and a failed run are errors with their texts", () =>
    Effect.gen(function*() {
      const broken = Step.make({
        name: "broken",
        run: () => {
          throw new Error("No paper")
        }
      })
      const { server, tree } = yield* traced({ workflows: [Workflow.make({ id: "flow", steps: [broken] })] })
      yield* start(server, "flow")
      assert.deepStrictEqual(tree().slice(1), [
        "  invoke_workflow flow | ERROR: No paper",
        "    step broken | ERROR: No paper"
      ])
    }))

  it.effect("a continued run is in the trace of its start, linked to the earlier attempt and to its request", () =>
    Effect.gen(function*() {
      const pay = Tool.make({ name: "pay", requiresConfirmation: true, execute: () => "paid" })
      const { model } = yield* Script.make([[Script.toolCall("pay", {}, "call_1")], [Script.text("Paid")]])
      const agent = Agent.make({ id: "payer", model, tools: [pay] })
      const { server, spans, tree } = yield* traced({ agents: [agent] })
      yield* runWhole(server, "payer", { message: "pay", session_id: "s", run_id: "r" })
      yield* post(server, "/agents/payer/runs/r/continue", {
        session_id: "s",
        stream: "false",
        tools: JSON.stringify([{ tool_call_id: "call_1", confirmed: true }])
      })
      assert.deepStrictEqual(tree(), [
        "POST /agents/:agent_id/runs | UNSET",
        "  invoke_agent payer | UNSET",
        "    chat scripted",
        "  invoke_agent payer | link {\"svc.link\":\"earlier_attempt\"} | link {\"svc.link\":\"request\"}",
        "    execute_tool pay",
        "    chat scripted",
        "POST /agents/:agent_id/runs/:run_id/continue | UNSET"
      ])
      const [paused, resumed] = spans.filter(({ name }) => name === "invoke_agent payer")
      const request = spans.find(({ name }) => name.endsWith("/continue"))
      assert.deepStrictEqual(
        resumed?.links.map(({ span_id, trace_id }) => [trace_id, span_id]),
        [[paused?.trace_id, paused?.span_id], [request?.trace_id, request?.span_id]]
      )
      assert.strictEqual(paused?.attributes["svc.run.status"], "PAUSED")
      assert.strictEqual(resumed?.attributes["svc.attempt"], 2)
    }))

  it.effect("a paused workflow is no error, and its finished steps have one span", () =>
    Effect.gen(function*() {
      const asking = Workflow.make({
        id: "asking",
        steps: [first, Step.make({ name: "asked", confirmation: { message: "Sure?" }, run: () => "agreed" })]
      })
      const { server, tree } = yield* traced({ workflows: [asking] })
      const paused = yield* start(server, "asking")
      yield* proceed(server, "asking", { step_requirements: resolved(paused.json, { confirmed: true }) })
      assert.deepStrictEqual(tree(), [
        "POST /workflows/:workflow_id/runs | UNSET",
        "  invoke_workflow asking | UNSET",
        "    step first",
        "    step asked | UNSET",
        "  invoke_workflow asking | link {\"svc.link\":\"earlier_attempt\"} | link {\"svc.link\":\"request\"}",
        "    step asked",
        "POST /workflows/:workflow_id/runs/:run_id/continue | UNSET"
      ])
    }))

  it.effect("a background run is in the trace of its request, which continues that of the caller", () =>
    Effect.gen(function*() {
      const { server, spans, tree } = yield* traced({ agents: [yield* agentOf("guide", [Script.text("Done")])] })
      const headers = { traceparent, tracestate: "vendor=1" }
      const fields = { message: "go", session_id: "s", run_id: "r", background: "true", stream: "false" }
      yield* post(server, "/agents/guide/runs", fields, headers)
      yield* untilEnded(server, "/agents/guide/runs/r?session_id=s")
      const own = spans.filter(({ trace_id }) => trace_id === caller.trace)
      assert.deepStrictEqual(SpanTree.of(own), [
        "POST /agents/:agent_id/runs | UNSET",
        "  invoke_agent guide",
        "    chat scripted"
      ])
      assert.strictEqual(own.at(0)?.trace_state, "vendor=1")
      assert.strictEqual(own.find(({ kind }) => kind === "server")?.parent_span_id, caller.span)
      assert.isTrue(tree().length > own.length)
    }))

  it.effect("the time in the session queue is a span of the run", () =>
    Effect.gen(function*() {
      const [started, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const { model } = yield* Script.make([
        [Script.wait(Deferred.succeed(started, undefined)), Script.wait(Deferred.await(gate)), Script.text("one")],
        [Script.text("two")]
      ])
      const agent = Agent.make({ id: "agent", model, addHistoryToContext: true })
      const { server, spans } = yield* traced({ agents: [agent] })
      const fields = { message: "go", session_id: "s" }
      const one = yield* Effect.forkChild(runWhole(server, "agent", { ...fields, run_id: "one" }))
      yield* Deferred.await(started)
      yield* runWhole(server, "agent", { ...fields, run_id: "two", background: "true" })
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(one)
      yield* untilEnded(server, "/agents/agent/runs/two?session_id=s")
      assert.deepStrictEqual(SpanTree.of(spans.filter(({ run_id }) => run_id === "two")), [
        "invoke_agent agent",
        "  session_queue",
        "  chat scripted"
      ])
    }))

  it.effect("a call over MCP continues the trace of its metadata, and is linked to its request", () =>
    Effect.gen(function*() {
      const { server, spans } = yield* traced({ agents: [yield* agentOf("guide", [Script.text("Done")])] })
      const session = yield* openMcp(server)
      spans.length = 0
      const call = request("tools/call", {
        name: "run_agent",
        arguments: { agent_id: "guide", message: "hi" },
        _meta: { traceparent }
      })
      yield* postMcp(server, call, { headers: session.headers })
      assert.deepStrictEqual(SpanTree.of(spans), [
        "tools/call run_agent | link {\"svc.link\":\"request\"}",
        "  invoke_agent guide",
        "    chat scripted",
        "POST /mcp | UNSET"
      ])
      const called = spans.find(({ name }) => name === "tools/call run_agent")
      assert.deepInclude(called, { trace_id: caller.trace, parent_span_id: caller.span })
      assert.strictEqual(called?.links[0]?.span_id, spans.find(({ name }) => name === "POST /mcp")?.span_id)
    }))

  it.live("a run over a socket is in the trace that its message names", () =>
    Effect.gen(function*() {
      const sink = SpanSink.memory()
      const { url } = yield* TestServer.listen({ workflows: [plainFlow], spans: sink })
      const socket = yield* openSocket(url)
      yield* socket.next
      yield* socket.send({ action: "start-workflow", workflow_id: "plain", message: "go", traceparent })
      const frames: Array<unknown> = []
      while (at(frames.at(-1), "event") !== "WorkflowCompleted") frames.push(yield* socket.next)
      assert.deepStrictEqual(SpanTree.of(sink.spans), [
        "socket start-workflow",
        "  invoke_workflow plain",
        "    step first",
        "    step last"
      ])
      assert.isTrue(sink.spans.every(({ trace_id }) => trace_id === caller.trace))
    }))
})
