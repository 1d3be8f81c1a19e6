// Workflows in experiments, and as sources of items: the tool calls of their steps, and pauses.
import { assert, describe, it } from "@effect/vitest"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { at, list, post, serve } from "../Wire.ts"
import { saying, serving, weather } from "./Evaluations.ts"
import { begin, datasetOf, items, itemsOf, settled } from "./ExperimentRequests.ts"
import { askingFlow, start } from "./Flows.ts"
import { delegate } from "./TeamFlow.ts"

Tier.oneIn(3)

const inRome = toolCall("weather", { city: "Rome" })

/** An agent, a workflow and a team do the steps. The team delegates to a member that calls a tool. */
const forecasts = Effect.gen(function*() {
  const [alone, nested, member, leader] = [
    yield* Script.make([[toolCall("weather", { city: "Oslo" })], [text("Sunny.")]]),
    yield* Script.make([[toolCall("weather", { city: "Bonn" })], [text("Sunny.")]]),
    yield* Script.make([[inRome], [text("Sunny.")]]),
    yield* Script.make([[delegate("member", "call_1")], [text("Sunny.")]])
  ]
  const agent = (id: string, { model }: typeof alone) => Agent.make({ id, model, tools: [weather] })
  const inner = Workflow.make({ id: "inner", steps: [agent("nested", nested)] })
  const team = Team.make({ id: "team", model: leader.model, members: [agent("member", member)] })
  return Workflow.make({ id: "forecasts", steps: [agent("alone", alone), inner, team] })
})

const calls = [
  { name: "weather", arguments: { city: "Oslo" } },
  { name: "weather", arguments: { city: "Bonn" } },
  { name: "delegate_task_to_member", arguments: { member_id: "member", task: "pay" } },
  { name: "weather", arguments: { city: "Rome" } }
]

/** The expected calls of an item of the run `r`. */
const expectedOf = Effect.fnUntraced(function*(server: TestServer.TestServer) {
  const path = `/datasets/${yield* datasetOf(server, [])}/items/from-trace`
  const added = yield* post(server, path, { run_id: "r", session_id: "s", with_tool_calls: true })
  assert.strictEqual(added.status, 200, added.text)
  const stored = yield* server.fetch(path.replace("/from-trace", ""))
  return at(list(yield* Effect.promise(() => stored.json()), "data")[0], "expected_tool_calls")
})

describe("a workflow that is evaluated", () => {
  it.live("tool calls of steps, of workflows in steps and of members of teams count, in the order of the steps", () =>
    Effect.gen(function*() {
      const server = yield* serving([yield* saying("Paris")], { workflows: [yield* forecasts] })
      const dataset = yield* datasetOf(server, [{ id: "all", input: "The weather?", expected_tool_calls: calls }])
      const scorers = [{ type: "tool_trajectory", order: "exact" }]
      const accepted = yield* begin(server, dataset, { workflow_id: "forecasts", scorers })
      yield* settled(server, accepted)
      const [item] = yield* itemsOf(server, accepted)
      assert.deepStrictEqual(list(item, "scores"), [
        { scorer: "tool_trajectory", score: 1, passed: true, reason: null }
      ])
    }))

  it.effect("an item of its run expects the tool calls of its steps", () =>
    Effect.gen(function*() {
      const server = yield* serve({ workflows: [yield* forecasts] })
      yield* start(server, "forecasts")
      assert.deepStrictEqual(yield* expectedOf(server), calls)
    }))

  it.live("the error of an item whose run pauses names the step", () =>
    Effect.gen(function*() {
      const server = yield* serving([yield* saying("Paris")], { workflows: [askingFlow] })
      const dataset = yield* datasetOf(server, items.slice(0, 1))
      const accepted = yield* begin(server, dataset, { workflow_id: "asking", scorers: [{ type: "exact" }] })
      yield* settled(server, accepted)
      const [item] = yield* itemsOf(server, accepted)
      assert.strictEqual(
        at(item, "error"),
        "The run paused at the step 'asked', and no person decides in an evaluation"
      )
    }))
})

describe("an item with the tool calls of a run", () => {
  const stepOf = Effect.fnUntraced(function*(tool: Tool.Tool, ...turns: ReadonlyArray<Script.Turn>) {
    const { model } = yield* Script.make(turns)
    const step = Step.make({ name: "ask", agent: Agent.make({ id: "agent", model, tools: [tool] }) })
    const server = yield* serve({ workflows: [Workflow.make({ id: "flow", steps: [step] })] })
    const { json } = yield* start(server, "flow")
    return { server, status: at(json, "status") }
  })

  it.effect("a run without tool calls expects that none is made", () =>
    Effect.gen(function*() {
      const { server, status } = yield* stepOf(weather, [text("Sunny.")])
      assert.deepStrictEqual([status, yield* expectedOf(server)], ["COMPLETED", []])
    }))

  it.effect("a run whose calls all failed expects nothing of calls", () =>
    Effect.gen(function*() {
      const fail = () => {
        throw new Error("no network")
      }
      const failing = Tool.make({ name: "weather", execute: fail })
      const { server, status } = yield* stepOf(failing, [toolCall("weather", {})], [text("Sorry.")])
      assert.deepStrictEqual([status, yield* expectedOf(server)], ["COMPLETED", null])
    }))

  it.effect("a run that waits with its first call expects nothing of calls", () =>
    Effect.gen(function*() {
      const { server, status } = yield* stepOf({ ...weather, requiresConfirmation: true }, [inRome])
      assert.deepStrictEqual([status, yield* expectedOf(server)], ["PAUSED", null])
    }))
})
