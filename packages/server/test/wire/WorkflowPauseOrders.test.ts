// The order of the events of a workflow that waits for a person.
import { assert, describe, it } from "@effect/vitest"
import * as Loop from "@svc-runtime/agents/workflow/define/Loop"
import * as Router from "@svc-runtime/agents/workflow/define/Router"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { at, frames, get, list, serve } from "../Wire.ts"
import { inner, orderOf, orders, own, run, say } from "./EventOrders.ts"
import { proceed, resolved } from "./Flows.ts"

Tier.oneIn(3)

describe("a workflow that waits tells", () => {
  const before = ["WorkflowStarted", ...own("a")]
  const asking = () =>
    Workflow.make({
      id: "w",
      steps: [say("a"), Step.make({ name: "b", confirmation: true, run: () => "b" }), say("c")]
    })

  it.effect("a requirement before a step comes before the step, and the step after the decision", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* orders(asking(), { confirmed: true }), [
        [...before, "StepPaused b", "WorkflowPaused"],
        ["StepContinued b", ...own("b"), ...own("c"), "WorkflowCompleted"]
      ])
    }))

  it.effect("a skipped step is followed by the next one at once", () =>
    Effect.gen(function*() {
      const [, order] = yield* orders(asking(), { confirmed: false })
      assert.deepStrictEqual(order, [...own("c"), "WorkflowCompleted"])
    }))

  it.effect("a choice waits for a person, and the chosen step follows", () =>
    Effect.gen(function*() {
      const workflow = Workflow.make({
        id: "w",
        steps: [
          say("a"),
          Router.make({ name: "pick", selection: { message: "Which?" }, choices: [say("b"), say("c")] })
        ]
      })
      assert.deepStrictEqual(yield* orders(workflow, { selected_choices: ["c"] }), [
        [...before, "RouterPaused pick", "WorkflowPaused"],
        ["RouterExecutionStarted pick", ...inner("c"), "RouterExecutionCompleted pick", "WorkflowCompleted"]
      ])
    }))

  it.effect("the requirement of an agent follows the agent's own, and the agent continues", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([[Script.toolCall("send", {}, "call_1")], [Script.text("Sent.")]])
      const send = Tool.make({ name: "send", requiresConfirmation: true, execute: () => "sent" })
      const agent = Agent.make({ id: "sender", model, tools: [send] })
      const workflow = Workflow.make({ id: "w", steps: [say("a"), Step.make({ name: "ask", agent })] })
      const server = yield* serve({ workflows: [workflow] })
      const first = orderOf(yield* run(server, workflow))
      assert.deepStrictEqual(first, [
        ...before,
        "StepStarted ask",
        "RunStarted sender",
        "ModelRequestStarted sender",
        "ModelRequestCompleted sender",
        "RunContentCompleted sender",
        "RunPaused sender",
        "StepExecutorPaused ask",
        "WorkflowPaused"
      ])
      const { json } = yield* get(server, "/workflows/w/runs/r?session_id=s")
      const [requirement] = list(json, "step_requirements", 0, "executor_requirements")
      const answer = yield* proceed(server, "w", {
        stream: "true",
        step_requirements: resolved(json, { executor_requirements: [{ ...requirement as object, confirmation: true }] })
      })
      assert.deepStrictEqual(orderOf(frames(answer.text)), [
        "StepExecutorContinued ask",
        "RunContinued sender",
        "ToolCallStarted sender",
        "ToolCallCompleted sender",
        "ModelRequestStarted sender",
        "RunContent sender",
        "ModelRequestCompleted sender",
        "RunContentCompleted sender",
        "RunCompleted sender",
        "StepCompleted ask",
        "WorkflowCompleted"
      ])
    }))

  it.effect("a review follows the output of a step, and the next step or the same one follows it", () =>
    Effect.gen(function*() {
      const workflow = Workflow.make({
        id: "w",
        steps: [Step.make({ name: "a", outputReview: { onReject: "retry" }, run: () => "a" }), say("b")]
      })
      assert.deepStrictEqual(yield* orders(workflow, { confirmed: false }, { confirmed: true }), [
        [...before, "StepOutputReview a", "WorkflowPaused"],
        [...own("a"), "StepOutputReview a", "WorkflowPaused"],
        [...own("b"), "WorkflowCompleted"]
      ])
    }))

  it.effect("a review of a loop follows the round, and decides about another one", () =>
    Effect.gen(function*() {
      const workflow = Workflow.make({
        id: "w",
        steps: [Loop.make({ name: "rounds", maxIterations: 3, iterationReview: true, steps: [say("a")] })]
      })
      const [first, second, third] = yield* orders(workflow, { confirmed: false }, { confirmed: true })
      const round = ["LoopIterationStarted rounds", ...inner("a"), "LoopIterationCompleted rounds"]
      assert.deepStrictEqual(first?.slice(0, 6), ["WorkflowStarted", "LoopExecutionStarted rounds", ...round])
      assert.strictEqual(first?.at(-1), "WorkflowPaused")
      assert.deepStrictEqual([second?.slice(0, 4), second?.at(-1)], [round, "WorkflowPaused"])
      assert.deepStrictEqual(third, ["LoopExecutionCompleted rounds", "WorkflowCompleted"])
    }))

  it.effect("a failure waits for a decision, and the step is retried or skipped", () =>
    Effect.gen(function*() {
      let times = 0
      const flaky = Step.make({
        name: "b",
        onError: "pause",
        run: () => {
          if (++times % 3 !== 0) throw new Error("no luck")
          return "luck"
        }
      })
      const workflow = Workflow.make({ id: "w", steps: [say("a"), flaky, say("c")] })
      const failed = ["StepStarted b", "StepError b", "WorkflowPaused"]
      assert.deepStrictEqual(yield* orders(workflow, { decision: "retry" }, { decision: "retry" }), [
        [...before, ...failed],
        failed,
        [...own("b"), ...own("c"), "WorkflowCompleted"]
      ])
      const [, skipped] = yield* orders(workflow, { decision: "skip" })
      assert.deepStrictEqual(skipped, [...own("c"), "WorkflowCompleted"])
    }))

  it.effect("the last frame of a pause has everything that a decision needs", () =>
    Effect.gen(function*() {
      const server = yield* serve({ workflows: [asking()] })
      const all = yield* run(server, { id: "w" as never })
      const { data } = all.at(-1)!
      const { json } = yield* get(server, "/workflows/w/runs/r?session_id=s")
      for (const key of ["status", "paused_step_index", "paused_step_name", "pause_kind", "step_requirements"]) {
        assert.isDefined(data[key], key)
        assert.deepStrictEqual(data[key], at(json, key), key)
      }
      assert.deepStrictEqual(data["step_results"], at(json, "step_results"))
    }))
})
