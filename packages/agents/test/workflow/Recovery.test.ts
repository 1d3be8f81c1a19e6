// A run that is resumed continues after the last step that it had finished, branches and rounds included.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Condition from "../../src/workflow/define/Condition.ts"
import * as Loop from "../../src/workflow/define/Loop.ts"
import * as Parallel from "../../src/workflow/define/Parallel.ts"
import * as Router from "../../src/workflow/define/Router.ts"
import * as Step from "../../src/workflow/define/Step.ts"
import * as Steps from "../../src/workflow/define/Steps.ts"
import * as Workflow from "../../src/workflow/Workflow.ts"
import * as Harness from "./Harness.ts"

/** Everything that has others in it, with steps that count how often they are done. */
const counted = () => {
  const counts: Record<string, number> = {}
  const count = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1
  }
  const step = (name: string) =>
    Step.make({
      name,
      effects: "idempotent",
      run: ({ iteration, sessionState }) => {
        const key = iteration === undefined ? name : `${name}#${iteration}`
        count(key)
        sessionState[key] = true
        return key
      }
    })
  const inner = Workflow.make({ id: "inner", steps: [step("deep"), step("deeper")] })
  const workflow = Workflow.make({
    id: "w",
    steps: [
      step("first"),
      Parallel.make({
        name: "both",
        steps: [step("left"), Steps.make({ name: "row", steps: [step("right"), step("far")] })]
      }),
      Condition.make({
        name: "maybe",
        evaluator: () => {
          count("evaluator")
          return true
        },
        steps: [step("inside")]
      }),
      Loop.make({
        name: "rounds",
        maxIterations: 3,
        endCondition: () => {
          count("end")
          return false
        },
        steps: [step("again")]
      }),
      Router.make({
        name: "pick",
        choices: [step("a"), step("b")],
        selector: () => {
          count("selector")
          return "b"
        }
      }),
      Step.make({ name: "nested", workflow: inner }),
      step("last")
    ]
  })
  return { counts, workflow }
}

const whole = Effect.gen(function*() {
  const { counts, workflow } = counted()
  const ran = yield* Harness.run(workflow)
  return { counts, ran }
})

/** Without the durations and generated ids. */
const comparable = ({ output, stateChanges }: Harness.Ran) => {
  const { metrics: _, ...rest } = output
  return JSON.parse(
    JSON.stringify({ rest, stateChanges }).replaceAll(/"(step_|run_|step_run_)id":"[^"]+"/g, `"id":"x"`)
  ) as unknown
}

const totals = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

describe("a run that died", () => {
  it.effect("a run that stopped after any of its entries repeats nothing that it had finished, and ends in the same way", () =>
    Effect.gen(function*() {
      const expected = yield* whole
      assert.isAbove(expected.ran.entries.length, 20)
      for (let after = 0; after <= expected.ran.entries.length; after++) {
        const { counts, workflow } = counted()
        const entries = yield* Harness.die(workflow, after)
        assert.strictEqual(entries.length, after)
        const ran = yield* Harness.run(workflow, { entries })
        assert.deepStrictEqual(comparable(ran), comparable(expected.ran), `after ${after} entries`)
        // a step that was executed when it died is executed again: one of each branch at most
        assert.isAtMost(totals(counts), totals(expected.counts) + 2, `after ${after} entries`)
      }
    }))

  it.effect("a workflow of one function that stopped after its function had ended keeps the result", () =>
    Effect.gen(function*() {
      let calls = 0
      const workflow = () =>
        Workflow.make({
          id: "w",
          run: ({ sessionState }) => {
            calls++
            sessionState["done"] = true
            return "result"
          }
        })
      const expected = yield* Harness.run(workflow())
      assert.strictEqual(expected.output.content, "result")
      const entries = yield* Harness.die(workflow(), expected.entries.length)
      const ran = yield* Harness.run(workflow(), { entries })
      assert.deepStrictEqual(comparable(ran), comparable(expected))
      assert.strictEqual(calls, 2)
    }))

  it.effect("a run that stopped in one branch keeps what the others have finished", () =>
    Effect.gen(function*() {
      let slow = 0
      const done = [0, 0, 0]
      const fast = done.map((_, index) =>
        Step.make({
          name: `fast ${index}`,
          effects: "idempotent",
          run: () => {
            done[index] = (done[index] ?? 0) + 1
          }
        })
      )
      const slowStep = (hangs: boolean) =>
        Step.make({
          name: "slow",
          effects: "idempotent",
          run: () => ++slow && hangs ? Effect.never : Effect.void
        })
      const branches = (hangs: boolean) =>
        Workflow.make({
          id: "w",
          steps: [Parallel.make({
            name: "all",
            steps: [slowStep(hangs), ...fast]
          })]
        })
      const entries = yield* Harness.die(branches(true), 2)
      assert.deepStrictEqual(done, [1, 1, 1])
      const { output } = yield* Harness.run(branches(false), { entries })
      // the third was done, but nothing of it was kept
      assert.deepStrictEqual([output.status, slow, ...done], ["COMPLETED", 2, 1, 1, 2])
    }))

  it.effect("a resumed run shows no event twice", () =>
    Effect.gen(function*() {
      const { workflow } = counted()
      const entries = yield* Harness.die(workflow, 1)
      const { kinds } = yield* Harness.run(workflow, { entries })
      assert.deepStrictEqual(kinds.slice(0, 2), ["ParallelExecutionStarted", "StepStarted"])
    }))
})

describe("the state of the session", () => {
  it.effect("the state is changed by finished steps, and by nothing else", () =>
    Effect.gen(function*() {
      const fails = Step.make({
        name: "fails",
        onError: "skip",
        run: ({ sessionState }) => {
          sessionState["bad"] = true
          throw new Error("no")
        }
      })
      const works = Step.make({
        name: "works",
        run: ({ sessionState }) => {
          assert.isUndefined(sessionState["bad"])
          sessionState["good"] = 1
          delete sessionState["old"]
        }
      })
      const flow = Workflow.make({ id: "w", steps: [fails, works] })
      const { stateChanges } = yield* Harness.run(flow, { sessionState: { old: 1, kept: 2 } })
      assert.deepStrictEqual(stateChanges, { set: { good: 1 }, removed: ["old"] })
    }))

  it.effect("the state keeps the changes of several branches", () =>
    Effect.gen(function*() {
      const branch = (name: string) =>
        Step.make({
          name,
          run: ({ sessionState }) => {
            sessionState[name] = true
            return Effect.yieldNow
          }
        })
      const flow = Workflow.make({
        id: "w",
        steps: [Parallel.make({ name: "both", steps: [branch("a"), branch("b")] })]
      })
      const { stateChanges } = yield* Harness.run(flow)
      assert.deepStrictEqual(stateChanges, { set: { a: true, b: true }, removed: [] })
    }))
})
