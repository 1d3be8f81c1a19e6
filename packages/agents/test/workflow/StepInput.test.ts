// Where a step finds what it gets: in the same place, whatever its position.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import { Effect } from "effect"
import * as Condition from "../../src/workflow/define/Condition.ts"
import * as Loop from "../../src/workflow/define/Loop.ts"
import * as Parallel from "../../src/workflow/define/Parallel.ts"
import * as Router from "../../src/workflow/define/Router.ts"
import * as Step from "../../src/workflow/define/Step.ts"
import * as Steps from "../../src/workflow/define/Steps.ts"
import * as Workflow from "../../src/workflow/Workflow.ts"
import * as Harness from "./Harness.ts"

const show = Step.make({
  name: "show",
  run: ({ input, workflowInput }) => `${String(workflowInput)}>${String(input)}`
})
const before = Step.make({ name: "before", run: () => "B" })

describe("the input of a step", () => {
  it.effect("the first step gets the input of the workflow, and later ones the result before, in every container", () =>
    Effect.gen(function*() {
      const contentOf = Effect.fnUntraced(function*(...steps: ReadonlyArray<unknown>) {
        const { output } = yield* Harness.run(Workflow.make({ id: "w", steps: steps as never }), { input: "W" })
        return output.content
      })
      const containers = [
        show,
        Steps.make({ name: "steps", steps: [show] }),
        Loop.make({ name: "loop", maxIterations: 1, steps: [show] }),
        Condition.make({ name: "condition", evaluator: true, steps: [show] }),
        Condition.make({ name: "condition", evaluator: false, steps: [before], elseSteps: [show] }),
        Router.make({ name: "router", choices: [show], selector: () => "show" as const })
      ]
      for (const container of containers) {
        assert.strictEqual(yield* contentOf(container), "W>W")
        assert.strictEqual(yield* contentOf(before, container), "W>B")
      }
      const nested = Step.make({ name: "nested", workflow: Workflow.make({ id: "inner", steps: [show] }) })
      assert.strictEqual(yield* contentOf(nested), "W>W")
      assert.strictEqual(yield* contentOf(before, nested), "B>B")
      const branches = Parallel.make({ name: "both", steps: [show] })
      const after = Step.make({ name: "after", run: ({ outputOf }) => outputOf(show) ?? null })
      assert.strictEqual(yield* contentOf(branches, after), "W>W")
      assert.strictEqual(yield* contentOf(before, branches, after), "W>B")
    }))

  it.effect("a step that changes what it gets, or what it has given, changes nothing for other steps", () =>
    Effect.gen(function*() {
      const given = { list: ["given"] }
      const change = (name: string) =>
        Step.make({
          name,
          run: ({ input, outputOf, previousStepOutputs, workflowInput }) => {
            const seen = [input, workflowInput, outputOf("give"), previousStepOutputs["give"]?.content]
            const before = JSON.stringify(seen)
            given.list.push(name)
            for (const each of seen) (each as { list: Array<string> }).list.push(name)
            return before
          }
        })
      const flow = Workflow.make({
        id: "w",
        steps: [
          Step.make({ name: "give", run: () => given }),
          Parallel.make({ name: "both", steps: [change("one"), change("two")] }),
          Step.make({ name: "after", run: ({ outputOf, workflowInput }) => [workflowInput, outputOf("give")] })
        ] as never
      })
      const input = { list: ["input"] }
      const { output } = yield* Harness.run(flow, { input })
      const all = JSON.stringify([{ list: ["given"] }, { list: ["input"] }, { list: ["given"] }, { list: ["given"] }])
      assert.deepStrictEqual(output.step_results?.[1]?.steps?.map(({ content }) => content), [all, all])
      assert.deepStrictEqual(output.content, [{ list: ["input"] }, { list: ["given"] }])
    }))

  it.effect("decisions get what the steps of their container get, and the end of a loop the result of the iteration", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const flow = Workflow.make({
        id: "w",
        steps: [
          before,
          Condition.make({ name: "condition", evaluator: ({ input }) => seen.push(input) > 0, steps: [show] }),
          Router.make({
            name: "router",
            choices: [before],
            selector: ({ input }) => {
              seen.push(input)
              return "before"
            }
          }),
          Loop.make({
            name: "loop",
            endCondition: (_, { input }) => seen.push(input) > 0,
            steps: [Step.make({ name: "end", run: () => "E" })]
          })
        ]
      })
      yield* Harness.run(flow, { input: "W" })
      assert.deepStrictEqual(seen, ["B", "W>B", "E"])
    }))

  it.effect("an iteration gets the content of the iteration before, also of a container at its end", () =>
    Effect.gen(function*() {
      const grow = Step.make({ name: "grow", run: ({ input }) => `${String(input)}+` })
      const flow = Workflow.make({
        id: "w",
        steps: [Loop.make({ name: "loop", maxIterations: 2, steps: [Steps.make({ name: "steps", steps: [grow] })] })]
      })
      const { output } = yield* Harness.run(flow, { input: "W" })
      assert.strictEqual(output.content, "W++")
    }))

  it.effect("after a step that gave nothing, a function gets null, and an agent the input of the workflow", () =>
    Effect.gen(function*() {
      const log = Step.make({ name: "log", run: () => {} })
      const look = Step.make({ name: "look", run: ({ input }) => ({ input }) })
      const { output } = yield* Harness.run(Workflow.make({ id: "w", steps: [log, look] }))
      assert.deepStrictEqual<unknown>(output.content, { input: null })
      const ran = yield* Harness.run(Workflow.make({ id: "w", steps: [log, Agent.make({ id: "asker" })] }))
      assert.strictEqual(ran.output.content, "asker: go")
    }))
})

describe("the results of parallel steps", () => {
  const left = Step.make({ name: "left", run: () => ({ a: 1 }) })
  const right = Step.make({ name: "right", run: () => "R" })
  const both = Parallel.make({ name: "both", steps: [left, Steps.make({ name: "row", steps: [left, right] })] })
  const look = Step.make({ name: "look", run: ({ input }) => ({ input }) })
  const expected = { left: { a: 1 }, row: "R" }

  it.effect("a function gets an object by the names of the steps, also after containers and workflows that end with it", () =>
    Effect.gen(function*() {
      const inner = Workflow.make({ id: "inner", steps: [both] })
      for (
        const before of [
          both,
          Steps.make({ name: "steps", steps: [both] }),
          Step.make({ name: "nested", workflow: inner })
        ]
      ) {
        const { output } = yield* Harness.run(Workflow.make({ id: "w", steps: [before, look] }))
        assert.deepStrictEqual<unknown>(output.content, { input: expected })
      }
      const ask = Step.make({ name: "ask", run: ({ outputOf }) => outputOf(both)?.left.a ?? 0 })
      const { output } = yield* Harness.run(Workflow.make({ id: "w", steps: [both, right, ask] }))
      assert.strictEqual(output.content, 1)
    }))

  it.effect("the run shows the text, which an agent gets, too", () =>
    Effect.gen(function*() {
      const text = "## Parallel Execution Results\n\n### ✅ SUCCESS: left\n"
      const { output } = yield* Harness.run(Workflow.make({ id: "w", steps: [both] }))
      assert.include(String(output.content), text)
      const answered = yield* Harness.run(Workflow.make({ id: "w", steps: [both, Agent.make({ id: "asker" })] }))
      assert.include(String(answered.output.content), `asker: ${text}`)
    }))

  it.effect("a branch that was left out has no key, and an edited output takes the place of the object", () =>
    Effect.gen(function*() {
      const never = Step.make({ name: "never", confirmation: true, run: () => 1 })
      const flow = Workflow.make({ id: "w", steps: [Parallel.make({ name: "one", steps: [never] }), look] })
      const { output } = yield* Harness.go(flow, yield* Harness.run(flow), { confirmed: false })
      assert.deepStrictEqual<unknown>(output.content, { input: {} })
      const reviewed = Workflow.make({
        id: "w",
        steps: [Parallel.make({ name: "one", outputReview: true, steps: [right] }), look]
      })
      const edited = { confirmed: true, edited_output: "edited" }
      const done = yield* Harness.go(reviewed, yield* Harness.run(reviewed), edited)
      assert.deepStrictEqual<unknown>(done.output.content, { input: "edited" })
    }))
})

describe("a length of time that a step gives", () => {
  it.effect.each([Number.NaN, Number.POSITIVE_INFINITY, new Date(0) as never])(
    "a length of %o does not wake it at once",
    (length) =>
      Effect.gen(function*() {
        const sleeping = Workflow.make({ id: "w", run: ({ sleep }) => sleep(length).then(() => "awake") })
        const waiting = Workflow.make({ id: "w", run: ({ waitFor }) => waitFor("paid", { timeout: length }) })
        for (const [flow, name] of [[sleeping, "sleep()"], [waiting, "timeout of waitFor()"]] as const) {
          const { output } = yield* Harness.run(flow)
          assert.strictEqual(output.status, "ERROR")
          assert.include(String(output.content), `Step 'w': ${name} must be`)
        }
      })
  )
})
