// The order of the events of a workflow's run, read from the bytes of its streams: while it executes, where
// it waits, when it continues, and at each of its ends. A legacy frame that repeats
// the run after a pause is not sent (docs/decisions).
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc/runtime/agent/Agent"
import * as Tool from "@svc/runtime/tool/Tool"
import * as Condition from "@svc/runtime/workflow/Condition"
import * as Loop from "@svc/runtime/workflow/Loop"
import type { AnyWorkflow } from "@svc/runtime/workflow/Node"
import * as Parallel from "@svc/runtime/workflow/Parallel"
import * as Router from "@svc/runtime/workflow/Router"
import * as Step from "@svc/runtime/workflow/Step"
import * as Steps from "@svc/runtime/workflow/Steps"
import * as Workflow from "@svc/runtime/workflow/Workflow"
import * as Script from "@svc/testing/ScriptedModel"
import type * as TestServer from "@svc/testing/TestServer"
import { Deferred, Effect, Fiber } from "effect"
import { at, type Frame, frames, get, list, serve } from "../Wire.ts"
import { post, proceed, resolved, start } from "./Flows.ts"

const say = <const Name extends string>(name: Name) => Step.make({ name, run: () => name })

/** Each event with the step or the agent that it is about. */
const orderOf = (all: ReadonlyArray<Frame>) =>
  all.map(({ data, kind }) =>
    [kind, data["agent_id"] ?? data["step_name"]].filter((part) => part !== undefined).join(" ")
  )

const run = Effect.fnUntraced(function*(server: TestServer.TestServer, workflow: Pick<AnyWorkflow, "id">) {
  const answer = yield* start(server, workflow.id, { stream: "true" })
  return frames(answer.text)
})

/** Starts the run, or continues it with a decision about its last requirement. */
const orders = Effect.fnUntraced(function*(workflow: AnyWorkflow, ...decisions: ReadonlyArray<object>) {
  const server = yield* serve({ workflows: [workflow] })
  const first = yield* run(server, workflow)
  const all = [orderOf(first)]
  let count = first.length
  for (const decision of decisions) {
    const { json } = yield* get(server, `/workflows/${workflow.id}/runs/r?session_id=s`)
    const errors = at(json, "error_requirements") as ReadonlyArray<object> | undefined
    const answer = yield* proceed(server, workflow.id, {
      stream: "true",
      ...(errors === undefined || errors.length === 0
        ? { step_requirements: resolved(json, decision) }
        : { error_requirements: JSON.stringify([{ ...errors.at(-1), ...decision }]) })
    })
    const more = frames(answer.text)
    assert.strictEqual(more[0]?.id, count, "counted on")
    count += more.length
    all.push(orderOf(more))
  }
  return all
})

const own = (name: string) => [`StepStarted ${name}`, `StepOutput ${name}`, `StepCompleted ${name}`]
const inner = (name: string) => [`StepStarted ${name}`, `StepCompleted ${name}`]

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
      const [asked] = list(json, "step_requirements", 0, "executor_requirements")
      const answer = yield* proceed(server, "w", {
        stream: "true",
        step_requirements: resolved(json, { executor_requirements: [{ ...asked as object, confirmation: true }] })
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
      const asked = Step.make({ name: "b", confirmation: { onReject: "cancel" }, run: () => "b" })
      const [, order] = yield* orders(Workflow.make({ id: "w", steps: [say("a"), asked] }), { confirmed: false })
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
