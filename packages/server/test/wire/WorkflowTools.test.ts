// Workflows as tools of an agent: runs inside of its run, which cannot wait for a person.
import { assert, describe, it } from "@effect/vitest"
import * as ComponentTool from "@svc-runtime/agents/nested/ComponentTool"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import type { StepInput } from "@svc-runtime/agents/workflow/define/StepInput"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect, Schema } from "effect"
import * as Toolkit from "../../src/toolkit/Toolkit.ts"
import { ask, at, type Fields, frames, get, serve } from "../Wire.ts"

const start = (server: TestServer.TestServer, fields: Fields = {}, path = "/agents/host/runs") =>
  ask(server, path, {
    method: "POST",
    body: new URLSearchParams({ message: "go", run_id: "r", session_id: "s", stream: "false", ...fields })
  })

describe("a workflow that is a tool", () => {
  const Order = Schema.Struct({ count: Schema.Int })
  type Counted = StepInput<typeof Order.Type>

  it.effect("a call is a run of the workflow, whose events, answer and usage are part of the calling run", () =>
    Effect.gen(function*() {
      const used = Script.usage({ input: 10, output: 5 })
      const writer = yield* Script.make([[text("A poem."), used]])
      const agent = Agent.make({ id: "writer", model: writer.model })
      const component = Workflow.make({
        id: "poems",
        description: "Writes poems",
        inputSchema: Order,
        steps: [Step.make({ name: "count", run: ({ input }: Counted) => `${input.count} poem(s)` }), agent]
      })
      const model = yield* Script.make([[toolCall("poems", { count: 1 })], [text("Here it is."), used]])
      const host = Agent.make({
        id: "host",
        model: model.model,
        tools: [ComponentTool.make({ component, streamEvents: true })]
      })
      const server = yield* serve({ agents: [host] })
      const events = frames((yield* start(server, { stream: "true" })).text)
      const inner = events.filter(({ data }) =>
        at(data, "workflow_id") === "poems" && at(data, "agent_id") === undefined
      )
      assert.strictEqual(inner[0]?.kind, "WorkflowStarted")
      assert.strictEqual(inner.at(-1)?.kind, "WorkflowCompleted")
      assert.deepStrictEqual([...new Set(inner.map(({ data }) => at(data, "parent_run_id")))], ["r"])
      const ofWriter = events.filter(({ data }) => at(data, "agent_id") === "writer")
      const runs = ofWriter.map(({ data }) => at(data, "parent_run_id"))
      assert.deepStrictEqual([...new Set(runs)], [at(inner[0]?.data, "run_id")])
      const { json } = yield* get(server, "/agents/host/runs/r?session_id=s")
      assert.strictEqual(at(json, "content"), "Here it is.", JSON.stringify(json))
      const response = at(json, "member_responses", 0)
      assert.deepInclude(response as object, { workflow_id: "poems", parent_run_id: "r", status: "COMPLETED" })
      assert.strictEqual(at(json, "tools", 0, "result"), "A poem.")
      assert.strictEqual(at((yield* get(server, "/sessions/s")).json, "metrics", "total_tokens"), 30)
    }))

  it.effect("a workflow is a tool of the leader of a team", () =>
    Effect.gen(function*() {
      const component = Workflow.make({ id: "poems", steps: [Step.make({ name: "write", run: () => "A poem." })] })
      const model = yield* Script.make([[toolCall("poems", { task: "Write" })], [text("Here it is.")]])
      const members = [Agent.make({ id: "reader" })]
      const tools = [ComponentTool.make({ component })]
      const server = yield* serve({ teams: [Team.make({ id: "desk", members, model: model.model, tools })] })
      const { json } = yield* start(server, {}, "/teams/desk/runs")
      assert.strictEqual(at(json, "member_responses", 0, "workflow_id"), "poems", JSON.stringify(json))
      const stored = yield* get(server, "/teams/desk/runs/r?session_id=s")
      assert.strictEqual(at(stored.json, "member_responses", 0, "content"), "A poem.")
    }))

  it.effect("a workflow that waits all the same fails with a reason, and the calling run continues", () =>
    Effect.gen(function*() {
      const script = yield* Script.make([[toolCall("sleep", { seconds: 60 })]])
      const agent = Agent.make({ id: "sleeper", model: script.model, tools: [Toolkit.sleep()] })
      const component = Workflow.make({ id: "nights", steps: [agent] })
      const model = yield* Script.make([[toolCall("nights", { task: "Sleep" })], [text("It cannot.")]])
      const host = Agent.make({ id: "host", model: model.model, tools: [ComponentTool.make({ component })] })
      const server = yield* serve({ agents: [host] })
      const { json } = yield* start(server)
      assert.deepInclude(json as object, { status: "COMPLETED", content: "It cannot." })
      assert.strictEqual(at(json, "member_responses", 0, "status"), "ERROR")
      assert.match(String(at(json, "tools", 0, "result")), /^Step 'sleeper' waits for a decision, which a workflow/)
    }))

  it("a workflow that can wait for a person is refused when the tool is made, with the step or the tool", () => {
    const pay = Tool.make({ name: "pay", requiresConfirmation: true, execute: () => "paid" })
    const payer = Agent.make({ id: "payer", tools: [pay] })
    const refused = (steps: Parameters<typeof Workflow.make>[0]["steps"], reason: string) =>
      assert.throws(
        () => ComponentTool.make({ component: Workflow.make({ id: "flow", steps: steps as never }) }),
        `Tool 'flow': workflow 'flow' cannot be a tool, because ${reason}`
      )
    refused([Step.make({ name: "send", confirmation: true, run: () => 1 })], "step 'send' can wait for a person")
    refused([Step.make({ name: "send", onError: "pause", run: () => 1 })], "step 'send' can wait for a person")
    refused([payer], "'payer' needs a person for calls of 'pay'")
    refused([Team.make({ id: "desk", members: [payer] })], "'payer' needs a person for calls of 'pay'")
    refused([Step.make({ name: "ask", agent: "clerk" })], "step 'ask' names 'clerk' by its id")
  })
})
