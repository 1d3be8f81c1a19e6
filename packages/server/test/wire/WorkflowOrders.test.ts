// The order of the events of a workflow's run, read from the bytes of its streams: while it executes, where
// it waits, when it continues, and at each of its ends. A legacy frame that repeats
// the run after a pause is not sent (docs/design/decisions).
import { assert, describe, it } from "@effect/vitest"
import * as Condition from "@svc-runtime/agents/workflow/define/Condition"
import * as Loop from "@svc-runtime/agents/workflow/define/Loop"
import type { AnyWorkflow } from "@svc-runtime/agents/workflow/define/Node"
import * as Parallel from "@svc-runtime/agents/workflow/define/Parallel"
import * as Router from "@svc-runtime/agents/workflow/define/Router"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Steps from "@svc-runtime/agents/workflow/define/Steps"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import { serve } from "../Wire.ts"
import { inner, orderOf, orders, own, run, say } from "./EventOrders.ts"
import { post } from "./Flows.ts"

Tier.oneIn(6)

describe("a workflow that runs tells", () => {
  const running: ReadonlyArray<readonly [string, () => AnyWorkflow, ReadonlyArray<string>]> = [
    ["its steps", () => Workflow.make({ id: "w", steps: [say("a"), say("b")] }), [...own("a"), ...own("b")]],
    [
      "steps in a row, between the row's beginning and end",
      () => Workflow.make({ id: "w", steps: [Steps.make({ name: "row", steps: [say("a"), say("b")] })] }),
      ["StepsExecutionStarted row", ...inner("a"), ...inner("b"), "StepsExecutionCompleted row"]
    ],
    [
      "branches that are done at once, one by one where they do not wait",
      () => Workflow.make({ id: "w", steps: [Parallel.make({ name: "both", steps: [say("a"), say("b")] })] }),
      ["ParallelExecutionStarted both", ...inner("a"), ...inner("b"), "ParallelExecutionCompleted both"]
    ],
    [
      "rounds of a loop",
      () => Workflow.make({ id: "w", steps: [Loop.make({ name: "rounds", maxIterations: 2, steps: [say("a")] })] }),
      [
        "LoopExecutionStarted rounds",
        ...[1, 2].flatMap(() => ["LoopIterationStarted rounds", ...inner("a"), "LoopIterationCompleted rounds"]),
        "LoopExecutionCompleted rounds"
      ]
    ],
    [
      "the branch of a condition, and that there was none",
      () =>
        Workflow.make({
          id: "w",
          steps: [
            Condition.make({ name: "yes", evaluator: () => true, steps: [say("a")] }),
            Condition.make({ name: "no", evaluator: () => false, steps: [say("b")] })
          ]
        }),
      [
        "ConditionExecutionStarted yes",
        ...inner("a"),
        "ConditionExecutionCompleted yes",
        "ConditionExecutionStarted no",
        "ConditionExecutionCompleted no"
      ]
    ],
    [
      "what a router has chosen",
      () =>
        Workflow.make({
          id: "w",
          steps: [Router.make({ name: "pick", selector: () => "b", choices: [say("a"), say("b")] })]
        }),
      ["RouterExecutionStarted pick", ...inner("b"), "RouterExecutionCompleted pick"]
    ],
    [
      "a workflow in it, whole",
      () => {
        const other = Workflow.make({ id: "other", steps: [say("a")] })
        return Workflow.make({ id: "w", steps: [Step.make({ name: "ask", workflow: other })] })
      },
      ["StepStarted ask", "WorkflowStarted", ...inner("a"), "WorkflowCompleted", "StepCompleted ask"]
    ]
  ]
  for (const [what, workflow, expected] of running) {
    it.effect(what, () =>
      Effect.gen(function*() {
        const [order] = yield* orders(workflow())
        assert.deepStrictEqual(order, ["WorkflowStarted", ...expected, "WorkflowCompleted"])
      }))
  }

  const talking = Effect.fnUntraced(function*(streamExecutorEvents: boolean) {
    const { model } = yield* Script.make([[Script.text("Hello.")]])
    const agent = Agent.make({ id: "speaker", model })
    return Workflow.make({ id: "w", streamExecutorEvents, steps: [Step.make({ name: "talk", agent })] })
  })

  it.effect("the events of an agent are inside of the step that it executes", () =>
    Effect.gen(function*() {
      const [order] = yield* orders(yield* talking(true))
      assert.deepStrictEqual(order, [
        "WorkflowStarted",
        "StepStarted talk",
        "RunStarted speaker",
        "ModelRequestStarted speaker",
        "RunContent speaker",
        "ModelRequestCompleted speaker",
        "RunContentCompleted speaker",
        "RunCompleted speaker",
        "StepCompleted talk",
        "WorkflowCompleted"
      ])
    }))

  it.effect("a step that hides its agent shows no events of it", () =>
    Effect.gen(function*() {
      const [order] = yield* orders(yield* talking(false))
      assert.deepStrictEqual(order, ["WorkflowStarted", "StepStarted talk", "StepCompleted talk", "WorkflowCompleted"])
    }))
})

describe("a workflow that ends otherwise tells", () => {
  it.effect("a failed step that is skipped has its error, and no completion", () =>
    Effect.gen(function*() {
      const bad = Step.make({ name: "bad", onError: "skip", run: () => Promise.reject(new Error("no luck")) })
      const [order] = yield* orders(Workflow.make({ id: "w", steps: [bad, say("b")] }))
      assert.deepStrictEqual(order, [
        "WorkflowStarted",
        "StepStarted bad",
        "StepError bad",
        ...own("b"),
        "WorkflowCompleted"
      ])
    }))

  it.effect("a failed step that ends the workflow has one error, which is the last event", () =>
    Effect.gen(function*() {
      const bad = Step.make({ name: "bad", onError: "fail", run: () => Promise.reject(new Error("no luck")) })
      const [order] = yield* orders(Workflow.make({ id: "w", steps: [say("a"), bad, say("b")] }))
      assert.deepStrictEqual(order, ["WorkflowStarted", ...own("a"), "StepStarted bad", "WorkflowError"])
    }))

  it.effect("a rejection that cancels has one event, which is the last", () =>
    Effect.gen(function*() {
      const confirmedStep = Step.make({ name: "b", confirmation: { onReject: "cancel" }, run: () => "b" })
      const [, order] = yield* orders(Workflow.make({ id: "w", steps: [say("a"), confirmedStep] }), {
        confirmed: false
      })
      assert.deepStrictEqual(order, ["WorkflowCancelled"])
    }))

  it.effect("a cancel during an answer of an agent has the agent's event, and then its own, which is the last", () =>
    Effect.gen(function*() {
      const speaking = yield* Deferred.make<void>()
      const { model } = yield* Script.make([[Script.wait(Deferred.succeed(speaking, undefined)), Script.hang]])
      const agent = Agent.make({ id: "speaker", model })
      const workflow = Workflow.make({ id: "w", steps: [Step.make({ name: "talk", agent })] })
      const server = yield* serve({ workflows: [workflow] })
      const running = yield* Effect.forkChild(run(server, workflow))
      yield* Deferred.await(speaking)
      yield* post(server, "/workflows/w/runs/r/cancel?session_id=s")
      assert.deepStrictEqual(orderOf(yield* Fiber.join(running)), [
        "WorkflowStarted",
        "StepStarted talk",
        "RunStarted speaker",
        "ModelRequestStarted speaker",
        "RunCancelled speaker",
        "WorkflowCancelled"
      ])
    }))
})
