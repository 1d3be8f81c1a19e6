// Agents and teams as tools of an agent: runs inside of its run, which pause, end and are counted with it.
import { assert, describe, it } from "@effect/vitest"
import * as ComponentTool from "@svc-runtime/agents/nested/ComponentTool"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { ask, at, column, type Fields, frames, get, list, post, serve, undecided } from "../Wire.ts"

Tier.oneIn(4)

const send = (server: TestServer.TestServer, path: string, fields: Fields) =>
  ask(server, path, {
    method: "POST",
    body: new URLSearchParams({ session_id: "s", stream: "false", ...fields })
  })

const start = (server: TestServer.TestServer, fields: Fields = {}, path = "/agents/host/runs") =>
  send(server, path, { message: "go", run_id: "r", ...fields })

const continued = (server: TestServer.TestServer, fields: Fields) =>
  send(server, "/agents/host/runs/r/continue", fields)

const pay = (paid: Array<unknown>, options: Partial<Tool.Options<undefined>> = {}) =>
  Tool.make({ name: "pay", requiresConfirmation: true, execute: () => (paid.push(5), "paid"), ...options })

/** An agent that has a payer as its tool, which is asked once. */
const paying = Effect.fnUntraced(function*(options: Partial<Tool.Options<undefined>> = {}) {
  const paid: Array<unknown> = []
  const payer = yield* Script.make([[toolCall("pay", {}, "pay_1")], [text("I paid.")]])
  const component = Agent.make({ id: "payer", name: "Payer", model: payer.model, tools: [pay(paid, options)] })
  const model = yield* Script.make([[toolCall("payer", { task: "pay" }, "call_1")], [text("All paid.")]])
  const tools = [ComponentTool.make({ component, streamEvents: true })]
  const host = Agent.make({ id: "host", model: model.model, tools })
  return { host, paid, model, payer }
})

describe("a component that is a tool", () => {
  it.effect("a call is a run of the component inside of the calling run, and the model reads its answer", () =>
    Effect.gen(function*() {
      const reader = yield* Script.make([[text("The page says 7.")]])
      const component = Agent.make({ id: "reader", role: "Reads pages", model: reader.model })
      const model = yield* Script.make([[toolCall("reader", { task: "Read page 1" })], [text("It is 7.")]])
      const host = Agent.make({
        id: "host",
        model: model.model,
        tools: [ComponentTool.make({ component, streamEvents: true })]
      })
      const server = yield* serve({ agents: [host] })
      const events = frames((yield* start(server, { stream: "true" })).text)
      const inner = events.filter(({ data }) => at(data, "agent_id") === "reader")
      assert.includeMembers(inner.map(({ kind }) => kind), ["RunStarted", "RunContent", "RunCompleted"])
      const json = (yield* get(server, "/agents/host/runs/r?session_id=s")).json
      assert.strictEqual(at(json, "content"), "It is 7.")
      const [response] = list(json, "member_responses")
      assert.deepInclude(response as object, { agent_id: "reader", parent_run_id: "r", status: "COMPLETED" })
      assert.deepStrictEqual([...new Set(inner.map(({ data }) => at(data, "parent_run_id")))], ["r"])
      assert.deepStrictEqual([...new Set(inner.map(({ data }) => at(data, "run_id")))], [at(response, "run_id")])
      const [call] = list(json, "tools")
      assert.deepInclude(call as object, { tool_name: "reader", child_run_id: at(response, "run_id") })
      assert.strictEqual(at(call, "result"), "The page says 7.")
      const runs = (yield* get(server, "/sessions/s/runs")).json
      assert.deepStrictEqual(column(runs, "run_id"), [at(response, "run_id"), "r"])
      const detail = yield* get(server, "/agents/host")
      assert.deepInclude(at(detail.json, "tools", "tools", 0) as object, { name: "reader", description: "Reads pages" })
    }))

  it.effect("a call that takes longer than its timeout is cancelled, and the calling run continues", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const hang = Script.wait(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
      const reader = yield* Script.make([[text("The page"), hang]])
      const component = Agent.make({ id: "reader", model: reader.model })
      const model = yield* Script.make([[toolCall("reader", { task: "Read" })], [text("I could not read it.")]])
      const tools = [ComponentTool.make({ component, timeout: "20 seconds" })]
      const server = yield* serve({ agents: [Agent.make({ id: "host", model: model.model, tools })] })
      const running = yield* Effect.forkChild(start(server))
      yield* Deferred.await(begun)
      yield* TestClock.adjust("20 seconds")
      const { json } = yield* Fiber.join(running)
      assert.strictEqual(at(json, "status"), "COMPLETED")
      assert.strictEqual(at(json, "content"), "I could not read it.")
      assert.deepInclude(at(json, "tools", 0) as object, {
        tool_call_error: true,
        result: "The tool did not finish within 20s"
      })
      assert.deepInclude(at(json, "member_responses", 0) as object, { agent_id: "reader", status: "CANCELLED" })
      assert.lengthOf(server.logs.filter(({ level }) => level === "WARN"), 1)
    }))

  it.effect("cancelling the calling run cancels a call with a timeout", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const hang = Script.wait(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
      const reader = yield* Script.make([[hang]])
      const component = Agent.make({ id: "reader", model: reader.model })
      const model = yield* Script.make([[toolCall("reader", { task: "Read" })]])
      const tools = [ComponentTool.make({ component, timeout: "1 hour" })]
      const server = yield* serve({ agents: [Agent.make({ id: "host", model: model.model, tools })] })
      const running = yield* Effect.forkChild(start(server))
      yield* Deferred.await(begun)
      yield* send(server, "/agents/host/runs/r/cancel", {})
      const { json } = yield* Fiber.join(running)
      assert.strictEqual(at(json, "status"), "CANCELLED")
      assert.deepStrictEqual(column(list(json, "member_responses"), "status"), ["CANCELLED"])
    }))

  it.effect("the stream of the calling run has no events of the component unless its author wants them", () =>
    Effect.gen(function*() {
      const reader = yield* Script.make([[text("The page says 7.")]])
      const component = Agent.make({ id: "reader", model: reader.model })
      const model = yield* Script.make([[toolCall("reader", { task: "Read" })], [text("It is 7.")]])
      const host = Agent.make({ id: "host", model: model.model, tools: [ComponentTool.make({ component })] })
      const server = yield* serve({ agents: [host] })
      const events = frames((yield* start(server, { stream: "true" })).text)
      assert.deepStrictEqual([...new Set(events.map(({ data }) => at(data, "agent_id")))], ["host"])
    }))

  it.effect("the usage of the session, and the total of the run, have that of the runs inside", () =>
    Effect.gen(function*() {
      const used = Script.usage({ input: 10, output: 5 })
      const reader = yield* Script.make([[text("7"), used]])
      const component = Agent.make({ id: "reader", model: reader.model })
      const call = toolCall("reader", { task: "Read" })
      const model = yield* Script.make([[call], [text("It is 7."), used]])
      const host = Agent.make({ id: "host", model: model.model, tools: [ComponentTool.make({ component })] })
      const server = yield* serve({ agents: [host] })
      const { json: run } = yield* start(server)
      assert.strictEqual(at(run, "metrics", "total_tokens"), 15)
      assert.strictEqual(at(run, "total_metrics", "total_tokens"), 30)
      const { json } = yield* get(server, "/sessions/s")
      assert.strictEqual(at(json, "metrics", "total_tokens"), 30)
    }))

  it.effect("a component with an input schema is given what the schema describes, and a call without it fails", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const inputSchema = Schema.Struct({ page: Schema.Int })
      const reader = yield* Script.make([({ prompt }) => (seen.push(JSON.stringify(prompt)), [text("7")])])
      const component = Agent.make({ id: "reader", model: reader.model, inputSchema })
      const model = yield* Script.make([
        [toolCall("reader", { page: "one" })],
        [toolCall("reader", { page: 1 })],
        [text("Done")]
      ])
      const host = Agent.make({ id: "host", model: model.model, tools: [ComponentTool.make({ component })] })
      const server = yield* serve({ agents: [host] })
      const { json } = yield* start(server)
      const [failed, read] = list(json, "tools")
      assert.match(String(at(failed, "result")), /^Invalid arguments: page/)
      assert.strictEqual(at(read, "result"), "7")
      assert.lengthOf(seen, 1)
      assert.include(String(seen[0]), "{\\\"page\\\":1}")
      assert.lengthOf(list(json, "member_responses"), 1)
    }))

  it.effect("a team is a tool like an agent, also of the leader of a team", () =>
    Effect.gen(function*() {
      const reader = yield* Script.make([[text("7")]])
      const member = Agent.make({ id: "reader", model: reader.model })
      const delegate = toolCall("delegate_task_to_member", { member_id: "reader", task: "Read" })
      const office = yield* Script.make([[delegate], [text("They say 7.")]])
      const component = Team.make({ id: "office", members: [member], model: office.model })
      const model = yield* Script.make([[toolCall("ask_office", { task: "Read" })], [text("7 it is.")]])
      const tools = [ComponentTool.make({ name: "ask_office", component })]
      const desk = Team.make({ id: "desk", members: [member], model: model.model, tools })
      const server = yield* serve({ teams: [desk] })
      const { json } = yield* start(server, {}, "/teams/desk/runs")
      assert.strictEqual(at(json, "content"), "7 it is.", JSON.stringify(json))
      assert.strictEqual(at(json, "member_responses", 0, "team_id"), "office")
      assert.strictEqual(at(json, "member_responses", 0, "member_responses", 0, "content"), "7")
    }))
})

describe("a component that is a tool and waits for a person", () => {
  it.effect.each(["requirements", "tools"])(
    "the calling run shows what it waits for, and %s of a continue resume both runs",
    (field) =>
      Effect.gen(function*() {
        const { host, model, paid, payer } = yield* paying()
        const server = yield* serve({ agents: [host] })
        const paused = frames((yield* start(server, { stream: "true" })).text)
        assert.deepStrictEqual(paused.slice(-5).map(({ kind }) => kind), [
          "RunContentCompleted",
          "RunPaused",
          "ToolCallCompleted",
          "RunContentCompleted",
          "RunPaused"
        ])
        const { json } = yield* get(server, "/agents/host/runs/r?session_id=s")
        const [requirement] = list(json, "requirements")
        const { run_id } = at(json, "member_responses", 0) as { run_id: string }
        assert.deepInclude(requirement as object, { member_agent_id: "payer", member_run_id: run_id })
        assert.deepStrictEqual(paid, [])
        const call = { tool_call_id: "pay_1", confirmed: true }
        const sent = field === "tools" ? [call] : [{ id: at(requirement, "id"), confirmation: true }]
        const resumed = frames((yield* continued(server, { stream: "true", [field]: JSON.stringify(sent) })).text)
        assert.deepStrictEqual(
          resumed.map(({ data, kind }) => `${String(at(data, "agent_id"))} ${kind}`)
            .filter((line) => /Run(Continued|Completed)/.test(line)),
          ["payer RunContinued", "payer RunCompleted", "host RunContinued", "host RunCompleted"]
        )
        assert.deepStrictEqual(paid, [5])
        const ended = (yield* get(server, "/agents/host/runs/r?session_id=s")).json
        assert.deepInclude(ended as object, { status: "COMPLETED", content: "All paid." })
        assert.strictEqual(yield* model.remaining, 0)
        assert.strictEqual(yield* payer.remaining, 0)
      })
  )

  it.effect("a decision about another call is refused, and the run stays paused", () =>
    Effect.gen(function*() {
      const { host, paid } = yield* paying()
      const server = yield* serve({ agents: [host] })
      yield* start(server)
      undecided(yield* continued(server, { tools: JSON.stringify([{ tool_call_id: "other", confirmed: true }]) }))
      undecided(yield* continued(server, { requirements: "[]" }))
      assert.deepStrictEqual(paid, [])
      assert.strictEqual(at((yield* get(server, "/agents/host/runs/r?session_id=s")).json, "status"), "PAUSED")
    }))

  it.effect("an approval of a run inside resumes the calling run", () =>
    Effect.gen(function*() {
      const { host, paid } = yield* paying({ approval: "required" })
      const server = yield* serve({ agents: [host] })
      yield* start(server)
      const [approval] = list((yield* get(server, "/approvals")).json, "data")
      const resolved = yield* post(server, `/approvals/${String(at(approval, "id"))}/resolve`, { status: "approved" })
      assert.strictEqual(resolved.status, 200, resolved.text)
      const { json } = yield* continued(server, {})
      assert.strictEqual(at(json, "status"), "COMPLETED", JSON.stringify(json))
      assert.deepStrictEqual(paid, [5])
    }))

  it.effect("cancelling the paused run ends the run inside", () =>
    Effect.gen(function*() {
      const { host, paid } = yield* paying({ approval: "required" })
      const server = yield* serve({ agents: [host] })
      yield* start(server)
      assert.strictEqual((yield* ask(server, "/agents/host/runs/r/cancel", { method: "POST" })).status, 200)
      const { json } = yield* get(server, "/agents/host/runs/r?session_id=s")
      assert.strictEqual(at(json, "status"), "CANCELLED")
      assert.strictEqual(at(json, "member_responses", 0, "status"), "CANCELLED")
      assert.deepStrictEqual(column(list((yield* get(server, "/approvals")).json, "data"), "status"), ["cancelled"])
      assert.deepStrictEqual(paid, [])
    }))

  it.effect("a step of a workflow waits with its agent's tool, and continues with the decision", () =>
    Effect.gen(function*() {
      const { host, paid } = yield* paying()
      const server = yield* serve({ workflows: [Workflow.make({ id: "flow", steps: [host] })] })
      const paused = yield* start(server, {}, "/workflows/flow/runs")
      const step = at(paused.json, "step_requirements", 0)
      const decision = [{
        step_id: at(step, "step_id"),
        executor_requirements: [{ id: at(step, "executor_requirements", 0, "id"), confirmation: true }]
      }]
      const path = "/workflows/flow/runs/r/continue"
      const ended = yield* send(server, path, { step_requirements: JSON.stringify(decision) })
      assert.deepInclude(ended.json as object, { status: "COMPLETED", content: "All paid." }, ended.text)
      assert.deepStrictEqual(paid, [5])
    }))
})

describe("a component that is a tool and is executing", () => {
  it.effect("cancelling the calling run cancels the run inside", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const steps = [Script.wait(Deferred.succeed(begun, undefined)), Script.hang]
      const reader = yield* Script.make([steps])
      const component = Agent.make({ id: "reader", model: reader.model })
      const model = yield* Script.make([[toolCall("reader", { task: "Read" })]])
      const host = Agent.make({ id: "host", model: model.model, tools: [ComponentTool.make({ component })] })
      const server = yield* serve({ agents: [host] })
      yield* start(server, { background: "true" })
      yield* Deferred.await(begun)
      yield* ask(server, "/agents/host/runs/r/cancel", { method: "POST" })
      // ends with the run
      yield* ask(server, "/agents/host/runs/r/resume", {
        method: "POST",
        body: new URLSearchParams({ session_id: "s" })
      })
      const { json } = yield* get(server, "/agents/host/runs/r?session_id=s")
      assert.strictEqual(at(json, "status"), "CANCELLED")
      assert.deepInclude(at(json, "member_responses", 0) as object, { agent_id: "reader", status: "CANCELLED" })
    }))
})

describe("ComponentTool.make", () => {
  it("an id that is no name for models becomes one, and a name of its own is taken as it is", () => {
    const component = Agent.make({ id: "the.reader" })
    assert.strictEqual(ComponentTool.make({ component }).name, "the_reader")
    assert.strictEqual(ComponentTool.make({ component, name: "reader" }).name, "reader")
  })
})
