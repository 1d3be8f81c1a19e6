// Requests that continue a run without a valid decision on everything that it waits for.
import { assert, describe, it } from "@effect/vitest"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { ask, at, failed, list, serve } from "../Wire.ts"

Tier.oneIn(8)

const paths = { agent: "/agents/agent/runs", team: "/teams/team/runs", workflow: "/workflows/flow/runs" }
type Kind = keyof typeof paths

const post = (server: TestServer.TestServer, path: string, fields: Readonly<Record<string, string>>) =>
  ask(server, path, { method: "POST", body: new URLSearchParams({ stream: "false", session_id: "s", ...fields }) })

const paused = Effect.fnUntraced(function*(kind: Kind) {
  const sent: Array<unknown> = []
  const send = Tool.make({ name: "send", requiresConfirmation: true, execute: () => (sent.push("sent"), "sent") })
  const { model } = yield* Script.make([[Script.toolCall("send", {}, "call")], [Script.text("Done.")]])
  const server = yield* serve({
    agents: [Agent.make({ id: "agent", model, tools: [send] })],
    teams: [Team.make({ id: "team", model, tools: [send], members: [Agent.make({ id: "member", model })] })],
    workflows: [Workflow.make({
      id: "flow",
      steps: [Step.make({ name: "send", confirmation: true, run: () => (sent.push("sent"), "Done.") })]
    })]
  })
  const { json } = yield* post(server, paths[kind], { message: "Hi", run_id: "r" })
  assert.deepInclude(json, { status: "PAUSED" })
  const continued = (fields: Readonly<Record<string, string>>) => post(server, `${paths[kind]}/r/continue`, fields)
  const stored = ask(server, `${paths[kind]}/r?session_id=s`)
  return { continued, run: json, sent, stored }
})

const field = (name: string, ...items: ReadonlyArray<object>) => ({ [name]: JSON.stringify(items) })

describe("a paused run", () => {
  const requests = {
    agent: () => [
      {},
      field("tools"),
      field("tools", { tool_call_id: "call" }),
      field("tools", { tool_call_id: "call", confirm: true }),
      field("tools", { tool_call_id: "call", confirmed: "maybe" }),
      field("tools", { tool_call_id: "call", confirmed: true, misspelt: "x" }),
      field("requirements", { tool_execution: { tool_call_id: "call", confirmed: true, misspelt: "x" } }),
      field("tools", { tool_call_id: "other", confirmed: true }),
      field("tools", { tool_call_id: "call", confirmed: true, confirmation: false }),
      { ...field("tools", { tool_call_id: "call", confirmed: true }), ...field("requirements", { id: "other" }) },
      field("requirements", { id: "other", confirmation: true })
    ],
    team: (run: unknown) => [
      {},
      field("requirements"),
      field("requirements", { id: at(run, "requirements", 0, "id") }),
      field("requirements", { id: at(run, "requirements", 0, "id"), confirm: true }),
      field("requirements", { id: at(run, "requirements", 0, "id"), confirmation: "maybe" }),
      field("requirements", { id: at(run, "requirements", 0, "id"), confirmation: true, misspelt: "x" }),
      field("requirements", {
        id: at(run, "requirements", 0, "id"),
        confirmation: true,
        user_input_schema: [{ name: "to", value: "ann", misspelt: "x" }]
      }),
      field("requirements", { id: "other", confirmation: true }),
      field("requirements", {
        id: at(run, "requirements", 0, "id"),
        confirmation: false,
        tool_execution: { tool_call_id: "call", confirmed: true }
      })
    ],
    workflow: (run: unknown) => [
      {},
      field("step_requirements"),
      field("step_requirements", { step_id: at(run, "step_requirements", 0, "step_id") }),
      field("step_requirements", { step_id: at(run, "step_requirements", 0, "step_id"), confirm: true }),
      field("step_requirements", { step_id: at(run, "step_requirements", 0, "step_id"), confirmed: "maybe" }),
      field("step_requirements", {
        step_id: at(run, "step_requirements", 0, "step_id"),
        confirmed: true,
        misspelt: "x"
      }),
      field("requirements", { step_id: at(run, "step_requirements", 0, "step_id"), confirmed: true, misspelt: "x" }),
      field("error_requirements", { step_id: "s", decision: "retry", misspelt: "x" }),
      field("step_requirements", { step_id: "other", confirmed: true }),
      field("requirements"),
      { requirements: "{}" },
      field("requirements", {
        step_id: at(run, "step_requirements", 0, "step_id"),
        confirmed: true,
        confirmation: false
      }),
      field("requirements", { step_id: "other", confirmed: true })
    ]
  }

  for (const kind of ["agent", "team", "workflow"] as const) {
    it.effect(`a run of kind ${kind} stays paused when a decision is unknown, misspelt or missing`, () =>
      Effect.gen(function*() {
        const { continued, run, sent, stored } = yield* paused(kind)
        for (const request of requests[kind](run)) {
          const answer = yield* continued(request)
          failed(answer, 422, "VALIDATION_ERROR")
          assert.notInclude(answer.text, kind === "agent" ? "step_requirements" : "`tools`")
          assert.isAbove(list(answer.json, "errors").length, 0)
          if (JSON.stringify(request).includes("misspelt")) {
            assert.include(String(at(answer.json, "detail")), "misspelt")
          }
          assert.deepInclude((yield* stored).json, { status: "PAUSED" }, JSON.stringify(request))
        }
        assert.deepStrictEqual(sent, [])
      }))
  }

  it.effect("a request with too many decisions is refused before they are read", () =>
    Effect.gen(function*() {
      for (const kind of ["agent", "team", "workflow"] as const) {
        const { continued } = yield* paused(kind)
        const answer = yield* continued({ requirements: `[${"0,".repeat(11_000)}0]` })
        failed(answer, 422, "VALIDATION_ERROR")
        assert.include(String(at(answer.json, "detail")), "has at most 10000 values")
        assert.isBelow(answer.text.length, 1000)
        const larger = yield* continued({ requirements: `[${"{},".repeat(300_000)}{}]` })
        failed(larger, 413, "PAYLOAD_TOO_LARGE")
        assert.include(String(at(larger.json, "detail")), "MAX_JSON_VALUES")
      }
    }))

  it.effect("the requirements of a paused run can be sent back whole with their decisions", () =>
    Effect.gen(function*() {
      const agent = yield* paused("agent")
      const tools = list(agent.run, "tools").map((tool) => ({ ...(tool as object), confirmed: true }))
      assert.deepInclude((yield* agent.continued(field("tools", ...tools))).json, { status: "COMPLETED" })
      const team = yield* paused("team")
      const requirements = list(team.run, "requirements").map((each) => ({ ...(each as object), confirmation: true }))
      assert.deepInclude((yield* team.continued(field("requirements", ...requirements))).json, { status: "COMPLETED" })
      const flow = yield* paused("workflow")
      const steps = list(flow.run, "step_requirements").map((each) => ({ ...(each as object), confirmed: true }))
      assert.deepInclude((yield* flow.continued(field("step_requirements", ...steps))).json, { status: "COMPLETED" })
    }))

  it.effect("a request that forks a paused run is refused when it has decisions, and the run stays paused", () =>
    Effect.gen(function*() {
      const { continued, sent, stored } = yield* paused("agent")
      const answer = yield* continued({ ...field("tools", { tool_call_id: "call", confirmed: true }), fork: "true" })
      failed(answer, 422, "VALIDATION_ERROR")
      assert.include(answer.text, "takes no decisions")
      assert.deepInclude((yield* stored).json, { status: "PAUSED" })
      assert.deepStrictEqual(sent, [])
    }))

  it.effect("a run takes confirmed and confirmation for the same on a call and on a requirement", () =>
    Effect.gen(function*() {
      for (const kind of ["agent", "team"] as const) {
        for (const name of ["confirmed", "confirmation"]) {
          const { continued, run, sent } = yield* paused(kind)
          const id = at(run, "requirements", 0, "id")
          const { json } = yield* continued(field("requirements", { id, [name]: true }))
          assert.deepInclude(json, { status: "COMPLETED" })
          assert.deepStrictEqual(sent, ["sent"])
        }
      }
      const { continued, sent } = yield* paused("agent")
      yield* continued(field("tools", { tool_call_id: "call", confirmation: true }))
      assert.deepStrictEqual(sent, ["sent"])
    }))
})
