// Workflows that wait with an agent of a step.
import { assert, describe, it } from "@effect/vitest"
import * as Parallel from "@svc-runtime/agents/workflow/define/Parallel"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import { approve } from "@svc-runtime/client"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { closed, token } from "../authorization/Closed.ts"
import { ask, at, failed, frames, get, kindsOf, list, serve, undecided } from "../Wire.ts"
import { askingFlow, first, last, proceed, resolved, start } from "./Flows.ts"

Tier.oneIn(3)

describe("an agent that waits while it does a step", () => {
  const served = Effect.gen(function*() {
    let refunds = 0
    const refund = Tool.make({
      name: "refund",
      requiresConfirmation: true,
      execute: () => {
        refunds++
        return "refunded"
      }
    })
    const script = yield* Script.make([
      [Script.toolCall("refund", {}, "call_1")],
      ({ prompt }) => [Script.text(JSON.stringify(prompt.content.at(-1)).includes("refunded") ? "Done." : "Not done.")]
    ])
    const agent = Agent.make({ id: "desk", name: "Desk", model: script.model, tools: [refund] })
    const flow = Workflow.make({ id: "flow", steps: [first, Step.make({ name: "ask", agent }), last] })
    return { server: yield* serve({ agents: [agent], workflows: [flow] }), refunds: () => refunds }
  })

  it.effect("the workflow waits with the agent's requirement, and continues after its call", () =>
    Effect.gen(function*() {
      const { refunds, server } = yield* served
      const all = frames((yield* start(server, "flow", { stream: "true" })).text)
      assert.deepStrictEqual(kindsOf(all).slice(-3), ["RunPaused", "StepExecutorPaused", "WorkflowPaused"])
      const paused = (yield* get(server, "/workflows/flow/runs/r?session_id=s")).json
      assert.deepStrictEqual([at(paused, "status"), at(paused, "pause_kind"), refunds()], ["PAUSED", "executor", 0])
      const stepRequirement = at(paused, "step_requirements", 0)
      assert.deepStrictEqual(
        [
          at(stepRequirement, "requires_executor_input"),
          at(stepRequirement, "executor_id"),
          at(stepRequirement, "executor_type")
        ],
        [true, "desk", "agent"]
      )
      const [requirement] = at(stepRequirement, "executor_requirements") as ReadonlyArray<object>
      const executor_requirements = [{ ...requirement, confirmation: true }]
      const answer = yield* proceed(server, "flow", {
        stream: "true",
        step_requirements: resolved(paused, { executor_requirements })
      })
      const kinds = kindsOf(frames(answer.text))
      assert.deepStrictEqual(kinds.filter((kind) => /^(Step|Run|Workflow)(Executor|Co)/.test(kind)).slice(0, 2), [
        "StepExecutorContinued",
        "RunContinued"
      ])
      const { json } = yield* get(server, "/workflows/flow/runs/r?session_id=s")
      assert.deepStrictEqual([at(json, "status"), at(json, "content"), refunds()], ["COMPLETED", "after Done.", 1])
    }))

  it.effect("a rejected agent gets the rejection, and does not make the call", () =>
    Effect.gen(function*() {
      const { refunds, server } = yield* served
      const paused = (yield* start(server, "flow")).json
      const [requirement] = at(paused, "step_requirements", 0, "executor_requirements") as ReadonlyArray<{ id: string }>
      const executor_requirements = [{ id: requirement?.id, confirmation: false, confirmation_note: "Too much." }]
      const { json } = yield* proceed(server, "flow", {
        step_requirements: resolved(paused, { executor_requirements })
      })
      assert.deepStrictEqual([at(json, "status"), at(json, "content"), refunds()], ["COMPLETED", "after Not done.", 0])
    }))
})

describe("a decision on the call of an agent in a step", () => {
  it.effect("a decision that shows another call is a conflict, and the workflow stays paused", () =>
    Effect.gen(function*() {
      let payments = 0
      const pay = Tool.make({ name: "pay", requiresConfirmation: true, execute: () => ++payments })
      const script = yield* Script.make([[Script.toolCall("pay", {}, "call_1")], [Script.text("Paid.")]])
      const agent = Agent.make({ id: "desk", model: script.model, tools: [pay] })
      const flow = Workflow.make({ id: "flow", steps: [Step.make({ name: "ask", agent })] })
      const server = yield* serve({ agents: [agent], workflows: [flow] })
      const paused = (yield* start(server, "flow")).json
      const requirement = at(paused, "step_requirements", 0, "executor_requirements", 0) as object
      for (const other of [{ tool_name: "look" }, { tool_call_id: "call_2" }]) {
        const tool_execution = { ...at(requirement, "tool_execution") as object, ...other }
        const executor_requirements = [{ ...requirement, confirmation: true, tool_execution }]
        const answer = yield* proceed(server, "flow", {
          step_requirements: resolved(paused, { executor_requirements })
        })
        failed(answer, 409, "CONFLICT", /read the run/)
      }
      const { json } = yield* get(server, "/workflows/flow/runs/r?session_id=s")
      assert.deepStrictEqual([at(json, "status"), payments], ["PAUSED", 0])
    }))
})

describe("a decision on a step", () => {
  it.effect("a decision that shows another input of the step is a conflict, and the workflow stays paused", () =>
    Effect.gen(function*() {
      const server = yield* serve({ workflows: [askingFlow] })
      const paused = (yield* start(server, "asking")).json
      const requirement = at(paused, "step_requirements", 0)
      const step_input = { ...at(requirement, "step_input") as object, input: "another order" }
      for (const other of [{ step_input }, { confirmation_message: "Shall a pencil be ordered?" }]) {
        const decision = { step_requirements: resolved(paused, { ...other, confirmed: true }) }
        failed(yield* proceed(server, "asking", decision), 409, "CONFLICT", /read the run/)
      }
      const decision = { step_requirements: resolved(paused, { confirmed: true }) }
      assert.strictEqual(at((yield* proceed(server, "asking", decision)).json, "status"), "COMPLETED")
    }))
})

describe("an agent that waits several times while it does a step", () => {
  it.effect("an agent that waits several times gets each decision once, and none that contradict", () =>
    Effect.gen(function*() {
      const paid: Array<string> = []
      const pay = Tool.make({
        name: "pay",
        requiresConfirmation: true,
        execute: (_, { effectId }) => (paid.push(effectId), "paid")
      })
      const script = yield* Script.make([
        [Script.toolCall("pay", {}, "call_1")],
        [Script.toolCall("pay", {}, "call_2")],
        [Script.text("Paid twice.")]
      ])
      const agent = Agent.make({ id: "desk", model: script.model, tools: [pay] })
      const flow = Workflow.make({ id: "flow", steps: [Step.make({ name: "ask", agent })] })
      const server = yield* serve({ agents: [agent], workflows: [flow] })
      const answer = Effect.fnUntraced(function*(run: unknown, ...confirmations: ReadonlyArray<boolean>) {
        const open = list(list(run, "step_requirements").at(-1), "executor_requirements")
          .find((each) => at(each, "confirmation") === undefined)
        const executor_requirements = confirmations.map((confirmation) => ({ id: at(open, "id"), confirmation }))
        return yield* proceed(server, "flow", { step_requirements: resolved(run, { executor_requirements }) })
      })
      const paused = frames((yield* start(server, "flow", { stream: "true" })).text).at(-1)?.data
      for (const contradicting of [[true, false], []]) undecided(yield* answer(paused, ...contradicting))
      assert.strictEqual(paid.length, 0)
      const { json: second } = yield* answer(paused, true)
      assert.deepStrictEqual([at(second, "status"), paid.length], ["PAUSED", 1])
      const { json: done } = yield* answer(second, true)
      assert.deepStrictEqual([at(done, "status"), at(done, "content"), paid.length], ["COMPLETED", "Paid twice.", 2])
      const all = frames((yield* get(server, "/workflows/flow/runs/r/events?session_id=s")).text)
      assert.deepStrictEqual(kindsOf(all).filter((kind) => kind.startsWith("StepExecutor")), [
        "StepExecutorPaused",
        "StepExecutorContinued",
        "StepExecutorPaused",
        "StepExecutorContinued"
      ])
      assert.strictEqual(new Set(paid).size, 2)
    }))
})

describe("an approval that an agent in a step waits for", () => {
  it.effect("a caller who may not approve is refused, and neither gives nor denies the approval", () =>
    Effect.gen(function*() {
      let payments = 0
      const pay = Tool.make({ name: "pay", approval: "required", execute: () => ++payments })
      const script = yield* Script.make([[Script.toolCall("pay", {}, "call_1")], [Script.text("Paid.")]])
      const agent = Agent.make({ id: "desk", model: script.model, tools: [pay] })
      const flow = Workflow.make({ id: "flow", steps: [Step.make({ name: "ask", agent })] })
      const server = yield* serve({ agents: [agent], workflows: [flow], authorization: yield* closed })
      const ann = { authorization: `Bearer ${yield* token("ann", "workflows:run")}` }
      const reader = { authorization: `Bearer ${yield* token("ann", "workflows:read")}` }
      const boss = {
        authorization: `Bearer ${yield* token("boss", "platform:admin", "approvals:read", "approvals:write")}`
      }
      const paused = (yield* start(server, "flow", {}, ann)).json
      const decided = (run: unknown, confirmation = true) => {
        const [requirement] = (at(run, "step_requirements") as ReadonlyArray<unknown>).slice(-1)
        const [executorRequirement] = at(requirement, "executor_requirements") as ReadonlyArray<object>
        return {
          step_requirements: resolved(run, { executor_requirements: [{ ...executorRequirement, confirmation }] })
        }
      }
      const rejectsStep = { step_requirements: resolved(paused, { confirmed: false }) }
      for (const decision of [decided(paused), decided(paused, false), rejectsStep, {}]) {
        const refused = yield* proceed(server, "flow", decision, ann)
        failed(refused, 403, "FORBIDDEN", "This run requires admin approval before it can be continued")
      }
      const still = yield* ask(server, "/workflows/flow/runs/r?session_id=s", { headers: reader })
      assert.deepStrictEqual([at(still.json, "status"), payments], ["PAUSED", 0])
      const approvals = (yield* ask(server, "/approvals", { headers: boss })).json
      const resolution = {
        method: "POST",
        headers: { ...boss, "content-type": "application/json" },
        body: `{"status":"approved"}`
      }
      yield* server.fetch(`/approvals/${String(at(approvals, "data", 0, "id"))}/resolve`, resolution)
      const late = yield* proceed(server, "flow", decided(still.json), ann)
      assert.strictEqual(late.status, 409, "the approval has decided it")
      const done = yield* proceed(server, "flow", {}, ann)
      assert.deepStrictEqual([at(done.json, "status"), at(done.json, "content"), payments], ["COMPLETED", "Paid.", 1])
    }))

  it.effect("the refusal names the call, and the steps beside it are decided without it", () =>
    Effect.gen(function*() {
      const pay = Tool.make({ name: "pay", approval: "required", execute: () => "paid" })
      const script = yield* Script.make([[Script.toolCall("pay", {}, "call_1")], [Script.text("Paid.")]])
      const agent = Agent.make({ id: "desk", model: script.model, tools: [pay] })
      const sure = Step.make({ name: "sure", confirmation: true, run: () => "sure" })
      const flow = Workflow.make({ id: "flow", steps: [Parallel.make({ name: "all", steps: [agent, sure] })] })
      const server = yield* serve({ agents: [agent], workflows: [flow], authorization: yield* closed })
      const ann = { authorization: `Bearer ${yield* token("ann", "workflows:run")}` }
      const paused = (yield* start(server, "flow", {}, ann)).json
      const { step_requirements: all = [] } = approve({
        step_requirements: list(paused, "step_requirements").map((step) => step as {})
      })
      assert.lengthOf(all, 2)
      const message = "This run requires admin approval before it can be continued: 'pay' waits for it. " +
        "The other steps can be decided if its step is left out"
      failed(yield* proceed(server, "flow", { step_requirements: JSON.stringify(all) }, ann), 403, "FORBIDDEN", message)
      const others = all.filter((step) => "confirmed" in step)
      const { json } = yield* proceed(server, "flow", { step_requirements: JSON.stringify(others) }, ann)
      assert.deepStrictEqual(
        list(json, "step_requirements").map((step) => [at(step, "step_name"), at(step, "resolved")]).toSorted(),
        [["desk", false], ["sure", true]]
      )
    }))
})
