import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Parallel from "../../src/workflow/define/Parallel.ts"
import * as Step from "../../src/workflow/define/Step.ts"
import type { StepInput } from "../../src/workflow/define/StepInput.ts"
import * as Workflow from "../../src/workflow/Workflow.ts"
import * as Harness from "./Harness.ts"

const step = <const Name extends string>(name: Name) => Step.make({ name, run: () => name })

describe("outputs by name", () => {
  it.effect("a step that asks for a step of no such name fails, and its error says which names there are", () =>
    Effect.gen(function*() {
      const inner = Workflow.make({ id: "inner", steps: [step("deep")] })
      const flow = (ask: (outputOf: StepInput["outputOf"]) => unknown) =>
        Workflow.make({
          id: "w",
          steps: [
            Parallel.make({ name: "both", steps: [step("left"), step("right")] }),
            inner,
            Step.make({ name: "last", run: ({ outputOf }) => String(ask(outputOf)) })
          ]
        })
      const elsewhere = step("elsewhere")
      const resultOf = Effect.fnUntraced(function*(ask: (outputOf: StepInput["outputOf"]) => unknown) {
        const { output } = yield* Harness.run(flow(ask))
        return [output.status, output.content]
      })
      const names = "The steps of the workflow 'w' are both, left, right, inner, last"
      assert.deepStrictEqual(yield* resultOf((outputOf) => outputOf("lfet")), [
        "ERROR",
        `outputOf: no step is called 'lfet'. Is 'left' meant? ${names}`
      ])
      assert.deepStrictEqual(yield* resultOf((outputOf) => outputOf(elsewhere)), [
        "ERROR",
        `outputOf: no step is called 'elsewhere'. ${names}`
      ])
      assert.deepStrictEqual(yield* resultOf((outputOf) => outputOf("deep")), [
        "ERROR",
        `outputOf: no step is called 'deep'. ${names}`
      ])
      assert.deepStrictEqual(yield* resultOf((outputOf) => outputOf("last")), ["COMPLETED", "undefined"])
    }))
})
