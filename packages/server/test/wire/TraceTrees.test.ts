// The tree of a run of each kind, as `GET /traces/{trace_id}` shows it.
import { assert, describe, it } from "@effect/vitest"
import { Agent, Step, Team, Tool, Workflow } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { always, at, list, second } from "../Wire.ts"
import { all, newest, serveTraced, start } from "./TracedRuns.ts"

Tier.oneIn(3)

const hello = Effect.map(always(Script.text("Hello."), Script.usage({ input: 3, output: 2 })), ({ model }) => model)

describe("the tree of a trace", () => {
  it.effect("a run of an agent has its requests to the model and its calls, with what went in and came out", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([
        [Script.toolCall("weather", { city: "Bern" }), Script.usage({ input: 5, output: 2 })],
        [Script.text("Sunny"), Script.usage({ input: 9, output: 1 })]
      ])
      const weather = Tool.make({
        name: "weather",
        parameters: Schema.Struct({ city: Schema.String }),
        execute: () => Effect.withSpan(Effect.succeed("21 degrees"), "station")
      })
      const server = yield* serveTraced({ agents: [Agent.make({ id: "guide", model, tools: [weather] })] })
      const run = yield* start(server, "/agents/guide/runs", { session_id: "s" })
      const { detail, traces, tree } = yield* newest(server)
      assert.deepStrictEqual(tree, [
        "AGENT invoke_agent guide",
        "  LLM chat scripted",
        "  TOOL execute_tool weather input={\"city\":\"Bern\"} output=21 degrees",
        "    UNKNOWN station",
        "  LLM chat scripted"
      ])
      const time = new Date(second * 1000).toISOString().slice(0, 19)
      assert.deepInclude(detail as object, {
        name: "invoke_agent guide",
        status: "OK",
        duration: "0ms",
        total_spans: 5,
        error_count: 0,
        input: "How are you?",
        output: "Sunny",
        run_id: at(run.json, "run_id"),
        session_id: "s",
        user_id: "ann",
        agent_id: "guide"
      })
      assert.include(String(at(detail, "start_time")), time.slice(0, 16))
      assert.deepInclude(traces[0] as object, { input: "How are you?", total_spans: 5, agent_id: "guide" })
      assert.deepStrictEqual(at(detail, "tree", 0, "metadata"), { total_input_tokens: 14, total_output_tokens: 3 })
      assert.deepStrictEqual(at(detail, "tree", 0, "spans", 1, "metadata"), {
        tool_name: "weather",
        parameters: "{\"city\":\"Bern\"}",
        session_id: "s",
        user_id: "ann"
      })
    }))

  it.effect("a run of a team has those of its members below the call that started them", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([
        [Script.toolCall("delegate_task_to_member", { member_id: "poet", task: "Rhyme." })],
        [Script.text("Done.")]
      ])
      const poet = Agent.make({ id: "poet", model: yield* hello })
      const server = yield* serveTraced({ teams: [Team.make({ id: "crew", model, members: [poet] })] })
      yield* start(server, "/teams/crew/runs")
      const { detail, tree } = yield* newest(server)
      assert.deepStrictEqual(tree, [
        "TEAM invoke_agent crew",
        "  LLM chat scripted",
        "  TOOL execute_tool delegate_task_to_member input={\"member_id\":\"poet\",\"task\":\"Rhyme.\"} output=Hello.",
        "    AGENT invoke_agent poet input=Rhyme. output=Hello.",
        "      LLM chat scripted",
        "  LLM chat scripted"
      ])
      assert.deepInclude(detail as object, { team_id: "crew", output: "Done.", total_spans: 6 })
      assert.notProperty(detail as object, "agent_id")
    }))

  it.effect("a run of a workflow has its steps, and their runs", () =>
    Effect.gen(function*() {
      const agent = Agent.make({ id: "poet", model: yield* hello })
      const server = yield* serveTraced({
        workflows: [
          Workflow.make({
            id: "brief",
            steps: [
              Step.make({ name: "one", agent }),
              Step.make({ name: "two", agent })
            ]
          })
        ]
      })
      yield* start(server, "/workflows/brief/runs")
      const { detail, tree } = yield* newest(server)
      assert.deepStrictEqual(tree, [
        "WORKFLOW invoke_workflow brief",
        "  WORKFLOW step one step_type=Step output=Hello.",
        "    AGENT invoke_agent poet input=How are you? output=Hello.",
        "      LLM chat scripted",
        "  WORKFLOW step two step_type=Step output=Hello.",
        "    AGENT invoke_agent poet input=Hello. output=Hello.",
        "      LLM chat scripted"
      ])
      assert.deepInclude(detail as object, { workflow_id: "brief", name: "invoke_workflow brief" })
    }))

  it.effect("a run that fails has its error instead of an output", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([[Script.toolCall("break")], [Script.text("Sorry.")]])
      const breaking = Tool.make({
        name: "break",
        parameters: Schema.Struct({}),
        execute: () => {
          throw new Error("no network")
        }
      })
      const server = yield* serveTraced({ agents: [Agent.make({ id: "guide", model, tools: [breaking] })] })
      yield* start(server, "/agents/guide/runs")
      const { detail, tree } = yield* newest(server)
      assert.deepStrictEqual(tree, [
        "AGENT invoke_agent guide",
        "  LLM chat scripted",
        "  TOOL execute_tool break ERROR input={} error=no network",
        "  LLM chat scripted"
      ])
      assert.deepInclude(detail as object, { status: "ERROR", error_count: 1, error: "no network" })
      assert.notProperty(detail as object, "output")
    }))

  it.effect("a run that was paused and is continued has what came before the pause and after it", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([
        [Script.toolCall("pay"), Script.usage({ input: 5, output: 2 })],
        [Script.text("Paid."), Script.usage({ input: 9, output: 1 })]
      ])
      const pay = Tool.make({
        name: "pay",
        parameters: Schema.Struct({}),
        requiresConfirmation: true,
        execute: () => "paid"
      })
      const server = yield* serveTraced({ agents: [Agent.make({ id: "guide", model, tools: [pay] })] })
      const paused = yield* start(server, "/agents/guide/runs", { session_id: "s" })
      const whilePaused = (yield* newest(server)).detail
      assert.deepInclude(whilePaused as object, { status: "OK", input: "How are you?" })
      assert.notProperty(whilePaused as object, "output")
      const tools = [{ ...at(paused.json, "tools", 0) as object, confirmed: true }]
      yield* start(server, `/agents/guide/runs/${String(at(paused.json, "run_id"))}/continue`, {
        session_id: "s",
        tools: JSON.stringify(tools)
      })
      assert.sameMembers(yield* all(server), [
        "AGENT invoke_agent guide UNSET",
        "  LLM chat scripted",
        "AGENT invoke_agent guide",
        "  TOOL execute_tool pay input={} output=paid",
        "  LLM chat scripted"
      ])
      const { detail } = yield* newest(server)
      assert.deepInclude(detail as object, { input: "How are you?", output: "Paid.", total_spans: 5 })
      assert.sameDeepMembers(list(detail, "tree").map((root) => at(root, "metadata")), [
        { total_input_tokens: 5, total_output_tokens: 2, run_status: "PAUSED" },
        { total_input_tokens: 9, total_output_tokens: 1 }
      ])
    }))

  it.effect("a workflow that is paused has no output before it is continued, and then that of its last step", () =>
    Effect.gen(function*() {
      const steps = [
        Step.make({ name: "draft", run: () => "A draft." }),
        Step.make({ name: "publish", run: () => "Published.", confirmation: true })
      ]
      const server = yield* serveTraced({ workflows: [Workflow.make({ id: "flow", steps })] })
      const paused = yield* start(server, "/workflows/flow/runs", { session_id: "s" })
      assert.notProperty((yield* newest(server)).detail as object, "output")
      const requirement = { ...at(paused.json, "step_requirements", 0) as object, confirmed: true }
      yield* start(server, `/workflows/flow/runs/${String(at(paused.json, "run_id"))}/continue`, {
        session_id: "s",
        step_requirements: JSON.stringify([requirement])
      })
      const { detail } = yield* newest(server)
      assert.deepInclude(detail as object, { input: "How are you?", output: "Published." })
    }))
})
