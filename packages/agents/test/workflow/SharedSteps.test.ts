// A step that is in several places is a step of its own in each.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import { Effect } from "effect"
import * as Condition from "../../src/workflow/define/Condition.ts"
import * as Step from "../../src/workflow/define/Step.ts"
import * as Steps from "../../src/workflow/define/Steps.ts"
import * as Workflow from "../../src/workflow/Workflow.ts"
import * as Harness from "./Harness.ts"

const grow = Step.make({ name: "grow", run: ({ input }) => `${String(input)}+` })
const ask = Step.make({ name: "ask", confirmation: true, run: ({ input }) => `${String(input)}?` })

describe("a step in several places", () => {
  it.effect("the same step is executed in each place, with an id of its own", () =>
    Effect.gen(function*() {
      const flow = Workflow.make({
        id: "w",
        steps: [
          grow,
          Steps.make({ name: "steps", steps: [grow, grow] }),
          Condition.make({ name: "condition", evaluator: true, steps: [grow] }),
          Step.make({ name: "nested", workflow: Workflow.make({ id: "inner", steps: [grow] }) }),
          grow,
          Step.make({ name: "last", run: ({ outputOf }) => outputOf(grow) ?? "" })
        ]
      })
      const { events, output } = yield* Harness.run(flow)
      assert.strictEqual(output.content, "go++++++")
      const ids = events.flatMap((event) => event.event === "StepStarted" ? event["step_id"] : [])
      assert.lengthOf(ids, 8)
      assert.lengthOf(new Set(ids), 8)
    }))

  it.effect("two workflows with the same step do not touch each other", () =>
    Effect.gen(function*() {
      const [one, two] = ["one", "two"].map((id) => Workflow.make({ id, steps: [grow, grow] }))
      assert.strictEqual((yield* Harness.run(one!)).output.content, "go++")
      assert.strictEqual((yield* Harness.run(two!)).output.content, "go++")
    }))

  it.effect("a decision is about the place that waits", () =>
    Effect.gen(function*() {
      const flow = Workflow.make({ id: "w", steps: [ask, ask] })
      const first = yield* Harness.run(flow)
      const second = yield* Harness.go(flow, first, { confirmed: true })
      assert.deepStrictEqual([second.output.status, second.output.paused_step_index], ["PAUSED", 1])
      const { output } = yield* Harness.go(flow, second, { confirmed: true })
      assert.strictEqual(output.content, "go??")
    }))

  it.effect("the same agent can answer twice, and its usage is the sum", () =>
    Effect.gen(function*() {
      const asker = Agent.make({ id: "asker" })
      const { output } = yield* Harness.run(Workflow.make({ id: "w", steps: [asker, grow, asker] }))
      assert.strictEqual(output.content, "asker: asker: go+")
      assert.strictEqual(output.metrics?.steps["asker"]?.metrics.total_tokens, 30)
    }))
})
