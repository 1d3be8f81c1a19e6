// What happens when a step fails: it is retried, skipped, ends the workflow, or waits for
// a person who chooses.
import { assert, describe, it } from "@effect/vitest"
import * as WorkflowRun from "@svc-runtime/domain/WorkflowRun"
import * as Agent from "@svc-runtime/features/Agent"
import { Data, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Condition from "../../src/workflow/define/Condition.ts"
import * as ForEach from "../../src/workflow/define/ForEach.ts"
import * as Loop from "../../src/workflow/define/Loop.ts"
import * as Parallel from "../../src/workflow/define/Parallel.ts"
import * as Router from "../../src/workflow/define/Router.ts"
import * as Step from "../../src/workflow/define/Step.ts"
import type { StepInput } from "../../src/workflow/define/StepInput.ts"
import * as Steps from "../../src/workflow/define/Steps.ts"
import * as Workflow from "../../src/workflow/Workflow.ts"
import * as Harness from "./Harness.ts"

class OutOfTea extends Data.TaggedError("OutOfTea")<{ readonly message: string }> {}

const failing = (settings: Partial<Step.Settings<"bad", "skip" | "fail" | "pause">> = {}, times = Infinity) => {
  let tried = 0
  const step = Step.make({
    ...settings,
    name: "bad",
    run: () => {
      tried++
      return tried > times ? Effect.succeed("good") : Effect.fail(new OutOfTea({ message: "no tea" }))
    }
  })
  return { step, tried: () => tried }
}

const after = Step.make({ name: "after", run: ({ input }) => `got ${String(input)}` })

describe("a step that fails", () => {
  it.effect("a failed step is skipped where its author says so, with a text that says why", () =>
    Effect.gen(function*() {
      const { step } = failing({ onError: "skip" })
      const { kinds, output } = yield* Harness.run(Workflow.make({ id: "w", steps: [step, after] }))
      assert.deepStrictEqual(kinds.slice(1, 4), ["StepStarted", "StepError", "StepStarted"])
      assert.strictEqual(output.status, "COMPLETED")
      assert.strictEqual(output.content, "got Step skipped due to error: no tea")
      const [bad] = output.step_results ?? []
      assert.deepStrictEqual([bad?.success, bad?.error], [false, "no tea"])
    }))

  it.effect("a failed step ends the workflow by default, with one error", () =>
    Effect.gen(function*() {
      const { step } = failing()
      const { kinds, endEvent: last, output } = yield* Harness.run(Workflow.make({ id: "w", steps: [step, after] }))
      assert.deepStrictEqual(kinds, ["WorkflowStarted", "StepStarted", "WorkflowError"])
      assert.deepStrictEqual<unknown>(last, { event: "WorkflowError", error: "no tea", error_type: "OutOfTea" })
      assert.deepStrictEqual([output.status, output.content], ["ERROR", "no tea"])
    }))

  it.effect("a failed step is retried as often as its author says", () =>
    Effect.gen(function*() {
      const { step, tried } = failing({ retries: 2, delayBetweenRetries: "10 seconds" }, 2)
      const fiber = yield* Effect.forkChild(Harness.run(Workflow.make({ id: "w", steps: [step] })))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(tried(), 2)
      yield* TestClock.adjust("10 seconds")
      const { output } = yield* Fiber.join(fiber)
      assert.deepStrictEqual([output.content, tried()], ["good", 3])
    }))

  it.effect("a step that takes too long fails, and its signal is aborted", () =>
    Effect.gen(function*() {
      let isAborted = false
      const slow = Step.make({
        name: "slow",
        timeout: "1 minute",
        run: ({ signal }) => {
          signal.addEventListener("abort", () => void (isAborted = true))
          return new Promise<string>(() => {})
        }
      })
      const fiber = yield* Effect.forkChild(Harness.run(Workflow.make({ id: "w", steps: [slow] })))
      yield* TestClock.adjust("1 minute")
      const { output } = yield* Fiber.join(fiber)
      assert.deepInclude(output, { status: "ERROR", content: "Step 'slow' did not finish in time" })
      assert.isTrue(isAborted)
    }))

  it.effect("a step with a result that is not JSON fails", () =>
    Effect.gen(function*() {
      const step = Step.make({ name: "pay", run: () => ({ at: [new Date(0)] }) as never })
      const { output } = yield* Harness.run(Workflow.make({ id: "w", steps: [step] }))
      assert.match(String(output.content), /^What step 'pay' gave is no JSON: 'at.0' is an object of the class Date/)
    }))

  it.effect("a durable step without a name or a function is refused with its place", () =>
    Effect.gen(function*() {
      const contentOf = Effect.fnUntraced(function*(...given: ReadonlyArray<unknown>) {
        const run = ({ step }: StepInput) => step(...(given as [string, () => string]))
        return String((yield* Harness.run(Workflow.make({ id: "w", run }))).output.content)
      })
      assert.include(yield* contentOf(() => 1), "Step 'w': the name of step() must be a text, and is a function")
      assert.include(
        yield* contentOf("a", 7),
        "Step 'w': step(a) must be a function after its name, and is the number 7"
      )
    }))

  it.effect("a step with fields that have no value keeps the others", () =>
    Effect.gen(function*() {
      const step = Step.make({ name: "pay", run: () => ({ id: 1, note: undefined }) as never })
      const { output } = yield* Harness.run(Workflow.make({ id: "w", steps: [step] }))
      assert.deepStrictEqual<unknown>(output.content, { id: 1 })
    }))

  it.effect("the executor of a failed step can be an agent, whose run is kept and counted", () =>
    Effect.gen(function*() {
      const flow = Workflow.make({
        id: "w",
        steps: [Step.make({ name: "asker", agent: Agent.make({ id: "asker" }), onError: "skip" })]
      })
      const { output } = yield* Harness.run(flow, { agent: () => ({ status: "ERROR", content: "down" }) })
      assert.strictEqual(output.content, "Step skipped due to error: down")
      assert.strictEqual(output.step_executor_runs?.[0]?.["status"], "ERROR")
      assert.strictEqual(WorkflowRun.usageOf(output).total_tokens, 15)
    }))
})

describe("a step that waits for a person after it has failed", () => {
  const flow = (times: number) => {
    const { step, tried } = failing({ onError: "pause" }, times)
    return { workflow: Workflow.make({ id: "w", steps: [step, after] }), tried }
  }

  it.effect("the requirement says what has gone wrong", () =>
    Effect.gen(function*() {
      const { kinds, output } = yield* Harness.run(flow(1).workflow)
      assert.deepStrictEqual(kinds, ["WorkflowStarted", "StepStarted", "StepError", "WorkflowPaused"])
      assert.strictEqual(output.status, "PAUSED")
      assert.isUndefined(output.pause_kind)
      assert.isUndefined(output.step_requirements)
      assert.deepStrictEqual(output.error_requirements?.map(({ step_id: _, ...rest }) => rest), [{
        id: "0!0",
        step_name: "bad",
        step_index: 0,
        error_message: "no tea",
        error_type: "OutOfTea",
        retry_count: 0,
        decision: null
      }])
    }))

  it.effect("the step is executed again, and asked about again when it fails again", () =>
    Effect.gen(function*() {
      const { tried, workflow } = flow(2)
      const paused = yield* Harness.run(workflow)
      const again = yield* Harness.go(workflow, paused, { error: "retry" })
      assert.deepStrictEqual(again.kinds, ["StepStarted", "StepError", "WorkflowPaused"])
      assert.strictEqual(again.output.error_requirements?.[0]?.retry_count, 1)
      const { output } = yield* Harness.go(workflow, again, { error: "retry" })
      assert.deepStrictEqual([output.status, output.content, tried()], ["COMPLETED", "got good", 3])
    }))

  it.effect("a skipped step is not retried", () =>
    Effect.gen(function*() {
      const { tried, workflow } = flow(Infinity)
      const { kinds, output } = yield* Harness.go(workflow, yield* Harness.run(workflow), { error: "skip" })
      assert.deepStrictEqual(kinds, ["StepStarted", "StepOutput", "StepCompleted", "WorkflowCompleted"])
      assert.deepStrictEqual([output.content, tried()], ["got Step skipped due to error: no tea", 1])
    }))
})

describe("what decides", () => {
  it.effect("an evaluator that fails ends the workflow", () =>
    Effect.gen(function*() {
      const condition = Condition.make({
        name: "maybe",
        evaluator: () => {
          throw new TypeError("what?")
        },
        steps: [after]
      })
      const { output } = yield* Harness.run(Workflow.make({ id: "w", steps: [condition] }))
      assert.deepStrictEqual([output.status, output.content], ["ERROR", "what?"])
    }))

  it.effect("a selector that gives nothing ends the workflow, and one that gives an empty list selects none", () =>
    Effect.gen(function*() {
      const statusOf = (given: unknown) => {
        const router = Router.make({ name: "pick", choices: [after], selector: () => given as "after" })
        return Effect.map(Harness.run(Workflow.make({ id: "w", steps: [router] })), ({ output }) => output)
      }
      const { content, status } = yield* statusOf(undefined)
      assert.deepStrictEqual([status, content], [
        "ERROR",
        "The function of 'pick' gave nothing, and has to give the names of choices. Is a return missing? An empty " +
        "list selects none"
      ])
      assert.strictEqual((yield* statusOf([])).status, "COMPLETED")
    }))

  it.effect("an evaluator that names an unknown choice ends the workflow", () =>
    Effect.gen(function*() {
      const router = Router.make({ name: "pick", choices: [after], selector: () => "nowhere" as "after" })
      const { output } = yield* Harness.run(Workflow.make({ id: "w", steps: [router] }))
      assert.deepStrictEqual([output.status, output.content], [
        "ERROR",
        "Router 'pick' has no choice 'nowhere'. There are 'after'."
      ])
    }))
})

describe("parallel branches", () => {
  it.effect("a failed branch does not stop the others, and all errors are reported", () =>
    Effect.gen(function*() {
      const { step } = failing({ onError: "skip" })
      const both = Parallel.make({ name: "both", steps: [step, after] })
      const { output } = yield* Harness.run(Workflow.make({ id: "w", steps: [both] }))
      assert.match(String(output.content), /### ❌ FAILURE: bad\nno tea\n\n### ✅ SUCCESS: after/)
      assert.isFalse(output.step_results?.[0]?.success)
    }))

  it.effect("what people have rejected is no success, also inside of a branch, and the text has its note", () =>
    Effect.gen(function*() {
      const confirmed = (name: string) =>
        Step.make({ name, confirmation: true, run: ({ input }) => `${name} ${String(input)}` })
      const both = Parallel.make({
        name: "both",
        steps: [
          ForEach.make({ name: "each", items: () => ["a", "b"], steps: [confirmed("send")] }),
          Steps.make({ name: "row", steps: [confirmed("inside")] }),
          confirmed("single"),
          after
        ]
      })
      const flow = Workflow.make({ id: "w", steps: [both, Agent.make({ id: "asker" })] })
      const notes: Record<string, string> = { inside: "too late", single: "not this one" }
      let ran = yield* Harness.run(flow)
      while (ran.output.status === "PAUSED") {
        const { step_index, step_name, step_id = "" } = ran.output.step_requirements?.at(-1) ?? {}
        const isFirst = step_name === "send" && String(step_index) === "0,0,0,0"
        const { [step_name ?? ""]: note = isFirst ? "" : "no" } = notes
        const decision = { confirmed: isFirst, ...(note === "" ? {} : { rejection_feedback: note }) }
        ran = yield* Harness.run(flow, {
          entries: [...ran.entries, { kind: "decided" as const, step_id, decision }]
        })
      }
      assert.strictEqual(
        String(ran.output.content),
        [
          "asker: ## Parallel Execution Results",
          "### ❌ FAILURE: each\n[\n  \"send a\",\n  null\n]\n\nItem 2: step 'send' skipped, because a person rejected it: no",
          "### ❌ FAILURE: row\nStep 'inside' skipped, because a person rejected it: too late",
          "### ❌ FAILURE: single\nStep skipped, because a person rejected it: not this one",
          "### ✅ SUCCESS: after\ngot go"
        ].join("\n\n")
      )
    }))

  it.effect("a step whose only step was rejected says so, and not that it is completed", () =>
    Effect.gen(function*() {
      const asks = Step.make({ name: "send", confirmation: true, run: () => "sent" })
      const inner = Workflow.make({ id: "inner", steps: [asks] })
      const around = [
        Steps.make({ name: "around", steps: [asks] }),
        Loop.make({ name: "around", maxIterations: 1, steps: [asks] }),
        Condition.make({ name: "around", evaluator: () => true, steps: [asks] }),
        Router.make({ name: "around", selector: () => "send", choices: [asks] }),
        Step.make({ name: "around", workflow: inner })
      ]
      const decision = { confirmed: false, rejection_feedback: "too dear" }
      for (const step of around) {
        const flow = Workflow.make({ id: "w", steps: [step, Agent.make({ id: "asker" })] })
        const { output } = yield* Harness.go(flow, yield* Harness.run(flow), decision)
        const title = step.type === "Loop" ? "Iteration 1: step" : "Step"
        assert.strictEqual(output.content, `asker: ${title} 'send' skipped, because a person rejected it: too dear`)
        assert.isFalse(output.step_results?.[0]?.success)
      }
    }))

  it.effect("an agent after a list reads which items were rejected, and a function gets the results alone", () =>
    Effect.gen(function*() {
      const each = ForEach.make({
        name: "each",
        items: () => ["a"],
        steps: [Step.make({ name: "send", outputReview: { onReject: "skip" }, run: () => "sent" })]
      })
      const decision = { confirmed: false, rejection_feedback: "too long" }
      const last = {
        agent: Agent.make({ id: "asker" }),
        look: Step.make({ name: "look", run: ({ input }) => ({ input }) })
      }
      const ended = yield* Effect.forEach([last.agent, last.look], (step) =>
        Effect.gen(function*() {
          const flow = Workflow.make({ id: "w", steps: [each, step] as never })
          return (yield* Harness.go(flow, yield* Harness.run(flow), decision)).output.content
        }))
      assert.deepStrictEqual<unknown>(ended, [
        "asker: [\n  null\n]\n\nItem 1: step 'send' skipped, because a person rejected it: too long",
        { input: [null] }
      ])
    }))
})
