// A run continues with the steps with which it began: steps that have changed under it are not executed in their place.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Condition from "../../src/workflow/define/Condition.ts"
import * as ForEach from "../../src/workflow/define/ForEach.ts"
import * as Loop from "../../src/workflow/define/Loop.ts"
import type { Node } from "../../src/workflow/define/Node.ts"
import * as Parallel from "../../src/workflow/define/Parallel.ts"
import * as Router from "../../src/workflow/define/Router.ts"
import * as Step from "../../src/workflow/define/Step.ts"
import * as Steps from "../../src/workflow/define/Steps.ts"
import type * as WorkflowJournal from "../../src/workflow/execute/WorkflowJournal.ts"
import * as Workflow from "../../src/workflow/Workflow.ts"
import * as Harness from "./Harness.ts"

const confirmation = { message: "Really?" }

/** Steps that note what they do. */
const stepsWith = (done: Array<string>) => ({
  step: (name: string) => Step.make({ name, run: () => void done.push(name) }),
  asking: (name: string) => Step.make({ name, confirmation, run: () => void done.push(name) })
})

type Make = (steps: ReturnType<typeof stepsWith>) => ReadonlyArray<Node>

const flow = (steps: ReadonlyArray<Node>) => Workflow.make({ id: "desk", steps: steps as never })

/** As an earlier version has stored it. */
const asBefore = (entries: ReadonlyArray<WorkflowJournal.Entry>): ReadonlyArray<WorkflowJournal.Entry> =>
  entries.map((entry) => {
    const { steps: _, ...rest } = entry as { readonly steps?: unknown }
    return rest as WorkflowJournal.Entry
  })

/** The run of the first steps waits for a person, and is continued with the second ones. */
const changed = Effect.fnUntraced(function*(before: Make, after: Make, isOld = false) {
  const paused = yield* Harness.run(flow(before(stepsWith([]))))
  assert.strictEqual(paused.output.status, "PAUSED")
  const done: Array<string> = []
  const ran = isOld ? { ...paused, entries: asBefore(paused.entries) } : paused
  const { output } = yield* Harness.go(flow(after(stepsWith(done))), ran, { confirmed: true })
  return { done, status: output.status, content: String(output.content) }
})

const ask: Make = ({ asking, step }) => [step("charge"), asking("refund")]

const group = (make: (steps: ReadonlyArray<Node>) => Node, ...names: ReadonlyArray<string>): Make => ({ asking }) => [
  make(names.map((name) => asking(name)))
]
const name = "group"
const inSteps = (steps: ReadonlyArray<Node>) => Steps.make({ name, steps: steps as never })
const inParallel = (steps: ReadonlyArray<Node>) => Parallel.make({ name, steps: steps as never })
const inLoop = (steps: ReadonlyArray<Node>) => Loop.make({ name, maxIterations: 2, steps: steps as never })
const inForEach = (steps: ReadonlyArray<Node>) => ForEach.make({ name, items: () => ["x"], steps } as never)
const inElse = (steps: ReadonlyArray<Node>) =>
  Condition.make({
    name,
    evaluator: () => false,
    steps: [Step.make({ name: "other", run: () => "other" })],
    elseSteps: steps as never
  })
const inRouter = (steps: ReadonlyArray<Node>) =>
  Router.make({ name, choices: steps, selector: () => steps[0]?.name } as never)
const inWorkflow = (steps: ReadonlyArray<Node>) =>
  Step.make({ name, workflow: Workflow.make({ id: "inner", steps: steps as never }) })
const kinds = { inSteps, inParallel, inLoop, inForEach, inElse, inRouter, inWorkflow }

describe("steps that have changed under a run", () => {
  for (const isOld of [false, true]) {
    const of = isOld ? "a run that an earlier version has stored" : "a run"

    it.effect(`${of} does not execute another step in the place of the one that was approved`, () =>
      Effect.gen(function*() {
        const { content, done, status } = yield* changed(
          ask,
          ({ asking, step }) => [step("charge"), asking("remove"), asking("refund")],
          isOld
        )
        assert.deepStrictEqual({ done, status }, { done: [], status: "ERROR" })
        assert.strictEqual(
          content,
          "Step 2 of workflow 'desk' was 'refund' when this run began it, and is 'remove' now. What a run has begun " +
            "must stay in its place until the run has ended: bring the former steps back, or start a new run"
        )
      }))

    it.effect(`${of} does not repeat a step that has moved`, () =>
      Effect.gen(function*() {
        const { content, done } = yield* changed(
          ask,
          ({ asking, step }) => [step("look"), step("charge"), asking("refund")],
          isOld
        )
        assert.deepStrictEqual(done, [])
        assert.include(content, "Step 1 of workflow 'desk' was 'charge' when this run began it, and is 'look' now")
      }))

    it.effect(`${of} does not complete without the step that was approved`, () =>
      Effect.gen(function*() {
        const { content, done, status } = yield* changed(ask, ({ step }) => [step("charge")], isOld)
        assert.deepStrictEqual({ done, status }, { done: [], status: "ERROR" })
        assert.include(content, "Step 2 of workflow 'desk' was 'refund' when this run began it, and is not there now")
      }))

    it.effect(`${of} continues with steps that were appended behind, and with another message and function`, () =>
      Effect.gen(function*() {
        const { done, status } = yield* changed(
          ask,
          ({ step }) => [
            step("charge"),
            Step.make({ name: "refund", confirmation: { message: "Pay it back?" }, run: () => "paid" }),
            step("mail")
          ],
          isOld
        )
        assert.deepStrictEqual({ done, status }, { done: ["mail"], status: "COMPLETED" })
      }))

    for (const [kind, make] of Object.entries(kinds)) {
      it.effect(`${of} finds another step inside a step: ${kind}`, () =>
        Effect.gen(function*() {
          const { content, done, status } = yield* changed(group(make, "refund"), group(make, "remove"), isOld)
          assert.deepStrictEqual({ done, status }, { done: [], status: "ERROR" })
          const where = kind === "inWorkflow" ? "Step 1 of workflow 'inner'" : "Step 1.1 of workflow 'desk'"
          assert.include(content, `${where} was 'refund' when this run began it, and is 'remove' now`)
        }))
    }

    it.effect(`${of} continues after a change inside of what has ended`, () =>
      Effect.gen(function*() {
        const { done, status } = yield* changed(
          ({ asking, step }) => [inSteps([step("a"), step("b")]), asking("refund")],
          ({ asking, step }) => [inSteps([step("c")]), asking("refund")],
          isOld
        )
        assert.deepStrictEqual({ done, status }, { done: ["refund"], status: "COMPLETED" })
      }))

    it.effect(`${of} does not ignore the answer to a question that its step no longer asks`, () =>
      Effect.gen(function*() {
        const { content, done, status } = yield* changed(ask, ({ step }) => [step("charge"), step("refund")], isOld)
        assert.deepStrictEqual({ done, status }, { done: [], status: "ERROR" })
        assert.include(content, "Step 2 of workflow 'desk', 'refund', has asked for a confirmation, and does not now")
      }))

    it.effect(`${of} does not leave out the iteration of a loop that was approved`, () =>
      Effect.gen(function*() {
        const loop = (maxIterations: number): Make => ({ asking }) => [
          Loop.make({ name: "rounds", maxIterations, steps: [asking("refund")] as never })
        ]
        const first = yield* Harness.run(flow(loop(2)(stepsWith([]))))
        const second = yield* Harness.go(flow(loop(2)(stepsWith([]))), first, { confirmed: true })
        const ran = isOld ? { ...second, entries: asBefore(second.entries) } : second
        const { output } = yield* Harness.go(flow(loop(1)(stepsWith([]))), ran, { confirmed: true })
        assert.include(
          String(output.content),
          "Step 1.1 of workflow 'desk' was 'refund' when this run began it, and is"
        )
      }))
  }

  it.effect("a step that contains steps does not become another kind of step", () =>
    Effect.gen(function*() {
      const { content, done } = yield* changed(group(inForEach, "refund"), group(inLoop, "refund"))
      assert.deepStrictEqual(done, [])
      assert.include(
        content,
        "Step 1 of workflow 'desk' was 'group' (ForEach) when this run began it, and is 'group' (Loop) now"
      )
    }))

  it.effect("a function that a crash interrupted is not taken for another one", () =>
    Effect.gen(function*() {
      const entries = yield* Harness.die(flow([Step.make({ name: "charge", run: () => "charged" })]), 1)
      assert.deepStrictEqual(entries.map(({ kind }) => kind), ["undertaken"])
      const { output } = yield* Harness.run(flow([Step.make({ name: "remove", run: () => "gone" })]), { entries })
      assert.include(
        String(output.content),
        "Step 1 of workflow 'desk' was 'charge' when this run began it, and is 'remove' now"
      )
    }))

  it.effect("a workflow of steps does not become one of a function", () =>
    Effect.gen(function*() {
      const paused = yield* Harness.run(flow(ask(stepsWith([]))))
      const done: Array<string> = []
      const body = Workflow.make({ id: "desk", run: () => void done.push("all") })
      const { output } = yield* Harness.go(body, paused, { confirmed: true })
      assert.deepStrictEqual({ done, status: output.status }, { done: [], status: "ERROR" })
    }))
})
