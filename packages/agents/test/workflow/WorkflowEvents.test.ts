// What a workflow shows of itself while it runs, and when it has ended.
import { assert, describe, it } from "@effect/vitest"
import * as StepOutput from "@svc-runtime/domain/StepOutput"
import * as WorkflowEvent from "@svc-runtime/domain/WorkflowEvent"
import * as WorkflowRun from "@svc-runtime/domain/WorkflowRun"
import * as Agent from "@svc-runtime/features/Agent"
import { Effect, Schema } from "effect"
import * as Condition from "../../src/workflow/define/Condition.ts"
import * as Loop from "../../src/workflow/define/Loop.ts"
import * as Parallel from "../../src/workflow/define/Parallel.ts"
import * as Router from "../../src/workflow/define/Router.ts"
import * as Step from "../../src/workflow/define/Step.ts"
import * as Steps from "../../src/workflow/define/Steps.ts"
import * as StepResult from "../../src/workflow/execute/StepResult.ts"
import * as Workflow from "../../src/workflow/Workflow.ts"
import * as Harness from "./Harness.ts"

const left = Step.make({ name: "left", run: () => "left" })
const right = Step.make({ name: "right", run: () => "right" })

/** The workflow of the recorded answers. */
const recorded = Workflow.make({
  id: "brief",
  name: "Brief",
  steps: [
    Step.make({
      name: "up",
      run: function up({ input }) {
        return `UP ${String(input)}`
      }
    }),
    Parallel.make({ name: "both", steps: [left, right] }),
    Condition.make({
      name: "maybe",
      evaluator: true,
      steps: [Step.make({ name: "inside", run: ({ workflowInput }) => `UP ${String(workflowInput)}` })]
    }),
    Loop.make({ name: "rounds", maxIterations: 2, steps: [Step.make({ name: "again", run: () => "again" })] }),
    Router.make({ name: "pick", choices: [left, Step.make({ name: "b", run: () => "right" })], selector: () => "b" }),
    Step.make({ name: "ask", agent: Agent.make({ id: "asker", name: "Asker" }) })
  ]
})

describe("the events of a run", () => {
  it.effect("the events are the recorded ones, in their order", () =>
    Effect.gen(function*() {
      const { kinds } = yield* Harness.run(recorded)
      assert.deepStrictEqual(kinds, [
        "WorkflowStarted",
        "StepStarted",
        "StepOutput",
        "StepCompleted",
        "ParallelExecutionStarted",
        "StepStarted",
        "StepCompleted",
        "StepStarted",
        "StepCompleted",
        "ParallelExecutionCompleted",
        "ConditionExecutionStarted",
        "StepStarted",
        "StepCompleted",
        "ConditionExecutionCompleted",
        "LoopExecutionStarted",
        "LoopIterationStarted",
        "StepStarted",
        "StepCompleted",
        "LoopIterationCompleted",
        "LoopIterationStarted",
        "StepStarted",
        "StepCompleted",
        "LoopIterationCompleted",
        "LoopExecutionCompleted",
        "RouterExecutionStarted",
        "StepStarted",
        "StepCompleted",
        "RouterExecutionCompleted",
        "StepStarted",
        "RunStarted",
        "RunContentCompleted",
        "StepCompleted",
        "WorkflowCompleted"
      ])
    }))

  it.effect("the events say where in the tree their step is", () =>
    Effect.gen(function*() {
      const { events } = yield* Harness.run(recorded)
      const started = events.filter(({ event }) => event === "StepStarted")
      assert.deepStrictEqual(started.map((event) => [event["step_name"], event["step_index"]]), [
        ["up", 0],
        ["left", [1, 0]],
        ["right", [1, 1]],
        ["inside", [2, 0]],
        ["again", [3, 0]],
        ["again", [3, 0]],
        ["b", 4],
        ["ask", 5]
      ])
      const both = events.find(({ event }) => event === "ParallelExecutionStarted")
      assert.strictEqual(started[1]?.["parent_step_id"], both?.["step_id"])
      assert.strictEqual(started[0]?.["parent_step_id"], undefined)
      assert.strictEqual(started[4]?.["step_id"], started[5]?.["step_id"])
      const ids = new Set(events.flatMap((event) => event["step_id"] ?? []))
      assert.strictEqual(ids.size, 12 - 1)
    }))

  it.effect("the events of an agent name the workflow, its run and the step", () =>
    Effect.gen(function*() {
      const { events } = yield* Harness.run(recorded)
      const own = events.find(({ event }) => event === "RunStarted") ?? {}
      const { agent_id, nested_depth, run_id, step_index, step_name, workflow_id, workflow_run_id } = own as Record<
        string,
        unknown
      >
      assert.deepStrictEqual({ agent_id, nested_depth, step_index, step_name, workflow_id, workflow_run_id }, {
        agent_id: "asker",
        nested_depth: 0,
        step_index: 5,
        step_name: "ask",
        workflow_id: "brief",
        workflow_run_id: "34ba501d-7d52-436b-a243-44dd0ac3372c"
      })
      assert.notStrictEqual(run_id, workflow_run_id)
    }))

  it.effect("the events fit their schemas, key for key", () =>
    Effect.gen(function*() {
      const { events } = yield* Harness.run(recorded)
      const decode = Schema.decodeUnknownEffect(WorkflowEvent.WorkflowEvent, { onExcessProperty: "error" })
      const own = { workflow_id: "brief", workflow_name: "Brief", run_id: "r", session_id: "s", nested_depth: 0 }
      for (const [index, event] of events.entries()) {
        if (event["agent_id"] !== undefined) continue
        yield* decode({ ...own, ...JSON.parse(JSON.stringify(event)), created_at: 1, event_index: index })
      }
    }))
})

describe("the output of a run", () => {
  it.effect("the output has a result for every step, and those of the steps inside", () =>
    Effect.gen(function*() {
      const { output } = yield* Harness.run(recorded)
      assert.strictEqual(output.status, "COMPLETED")
      assert.strictEqual(output.content, "asker: right")
      const results = output.step_results ?? []
      assert.deepStrictEqual(Harness.namesOf(results), ["up", "both", "maybe", "rounds", "pick", "ask"])
      assert.deepStrictEqual(results.map(({ content }) => content), [
        "UP go",
        "## Parallel Execution Results\n\n### ✅ SUCCESS: left\nleft\n\n### ✅ SUCCESS: right\nright",
        "Condition maybe completed with 1 results (if branch)",
        "Loop rounds completed 2 iterations with 2 total steps",
        "Router pick completed with 1 results",
        "asker: right"
      ])
      assert.deepStrictEqual(Harness.namesOf(results[3]?.steps), ["again", "again"])
      yield* Schema.decodeUnknownEffect(Schema.Array(StepOutput.StepOutput), { onExcessProperty: "error" })(results)
    }))

  it.effect("the output has the runs of its agents, and their usage", () =>
    Effect.gen(function*() {
      const { output } = yield* Harness.run(recorded)
      assert.strictEqual(output.step_executor_runs?.length, 1)
      assert.strictEqual(output.step_executor_runs?.[0]?.["parent_run_id"], output.run_id)
      assert.deepStrictEqual(Object.keys(output.metrics?.steps ?? {}), ["ask"])
      assert.deepStrictEqual(WorkflowRun.usageOf(output), { input_tokens: 10, output_tokens: 5, total_tokens: 15 })
    }))

  it.effect("the output says that no step was executed", () =>
    Effect.gen(function*() {
      const left = Step.make({ name: "left", confirmation: { timeout: 0 }, run: () => 1 })
      const flow = Workflow.make({ id: "w", steps: [left] })
      const paused = yield* Harness.run(flow)
      const { output } = yield* Harness.go(flow, paused, { confirmed: false })
      assert.deepStrictEqual([output.status, output.content], ["COMPLETED", "No steps executed"])
    }))
})

describe("what steps get", () => {
  it.effect("a step gets the input, the output before it, and that of any earlier step", () =>
    Effect.gen(function*() {
      const first = Step.make({ name: "first", onError: "fail", run: () => ({ a: 1 }) })
      const flow = Workflow.make({
        id: "w",
        steps: [
          first,
          Parallel.make({ name: "both", steps: [left, right] }),
          Step.make({
            name: "last",
            run: ({ input, outputOf, previousStepOutputs, workflowInput }) => ({
              input: workflowInput,
              first: outputOf(first)?.a ?? null,
              left: outputOf(left) ?? null,
              later: outputOf("last") ?? null,
              previous: input,
              names: Object.keys(previousStepOutputs)
            })
          })
        ]
      })
      const { output } = yield* Harness.run(flow, { input: { topic: "tea" } })
      assert.deepStrictEqual<unknown>(output.content, {
        input: { topic: "tea" },
        first: 1,
        left: "left",
        later: null,
        previous: { left: "left", right: "right" },
        names: ["first", "both"]
      })
      assert.strictEqual(output.content_type, "dict")
    }))

  it.effect("a step in a loop gets the output of the round before, and the number of the round", () =>
    Effect.gen(function*() {
      const flow = Workflow.make({
        id: "w",
        steps: [
          Loop.make({
            name: "rounds",
            maxIterations: 10,
            endCondition: (results) => results.at(-1)?.content === "xxx",
            steps: [Step.make({
              name: "grow",
              run: ({ input, iteration }) =>
                `${input === "go" ? "" : String(input)}${iteration === undefined ? "" : "x"}`
            })]
          })
        ]
      })
      const { events, output } = yield* Harness.run(flow)
      assert.strictEqual(output.content, "xxx")
      const rounds = events.filter(({ event }) => event === "LoopIterationCompleted")
      assert.deepStrictEqual(rounds.map((event) => event["should_continue"]), [true, true, false])
    }))

  it.effect("a step after a router gets all of the choices in the order in which they are named", () =>
    Effect.gen(function*() {
      const router = Router.make({ name: "pick", choices: [left, right], selector: () => ["right", "left"] as const })
      const { output } = yield* Harness.run(Workflow.make({ id: "w", steps: [router] }))
      assert.deepStrictEqual(Harness.namesOf(output.step_results?.[0]?.steps), ["right", "left"])
    }))

  it.effect("a condition that is not met gives its other branch or nothing", () =>
    Effect.gen(function*() {
      const not = Condition.make({ name: "not", evaluator: () => false, steps: [left] })
      const other = Condition.make({ name: "other", evaluator: async () => false, steps: [left], elseSteps: [right] })
      const { events, output } = yield* Harness.run(Workflow.make({ id: "w", steps: [not, other] }))
      assert.deepStrictEqual(output.step_results?.map(({ content }) => content), [
        "Condition not not met - skipped 1 steps",
        "Condition other completed with 1 results (else branch)"
      ])
      const completed = events.filter(({ event }) => event === "ConditionExecutionCompleted")
      assert.deepStrictEqual(completed.map((event) => event["branch"]), [undefined, "else"])
    }))

  it.effect("a workflow ends with the step that stops it, at any depth", () =>
    Effect.gen(function*() {
      const stop = Step.make({ name: "stop", run: () => StepResult.make({ content: "enough", stop: true }) })
      const flow = Workflow.make({ id: "w", steps: [Steps.make({ name: "row", steps: [stop, left] }), right] })
      const { output } = yield* Harness.run(flow)
      assert.deepStrictEqual([output.status, output.content], ["COMPLETED", "enough"])
      assert.deepStrictEqual(Harness.namesOf(output.step_results), ["row"])
      assert.deepStrictEqual(Harness.namesOf(output.step_results?.[0]?.steps), ["stop"])
    }))

  it.effect("a nested workflow is a run of its own, one level deeper", () =>
    Effect.gen(function*() {
      const inner = Workflow.make({ id: "inner", name: "Inner", steps: [({ input }) => `inner ${String(input)}`] })
      const flow = Workflow.make({
        id: "outer",
        steps: [() => "asked", Step.make({ name: "nested", workflow: inner })]
      })
      const { events, kinds, output } = yield* Harness.run(flow)
      assert.deepStrictEqual(kinds.slice(4), [
        "StepStarted",
        "WorkflowStarted",
        "StepStarted",
        "StepCompleted",
        "WorkflowCompleted",
        "StepCompleted",
        "WorkflowCompleted"
      ])
      const nested = events.find((event) => event["workflow_id"] === "inner")
      assert.strictEqual(nested?.["nested_depth"], 1)
      assert.strictEqual(nested?.["parent_step_id"], output.step_results?.[1]?.step_id)
      assert.strictEqual(output.content, "inner asked")
      const [run] = output.step_executor_runs ?? []
      assert.deepStrictEqual([run?.["workflow_id"], run?.["run_id"]], ["inner", output.step_results?.[1]?.step_run_id])
    }))

  it.effect("a function alone is a workflow without steps", () =>
    Effect.gen(function*() {
      const { kinds, output } = yield* Harness.run(
        Workflow.make({ id: "w", run: ({ input }) => Effect.succeed(`did ${String(input)}`) })
      )
      assert.deepStrictEqual(kinds, ["WorkflowStarted", "WorkflowCompleted"])
      assert.strictEqual(output.content, "did go")
    }))
})
