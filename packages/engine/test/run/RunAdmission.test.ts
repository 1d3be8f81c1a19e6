import { assert, it } from "@effect/vitest"
import * as Run from "@svc-runtime/domain/Run"
import { Effect } from "effect"
import * as RunAdmission from "../../src/run/engine/RunAdmission.ts"

it.effect("runs that have ended are forgotten, also while no limit is reached", () =>
  Effect.gen(function*() {
    const looked: Array<Run.Id> = []
    class Executing extends Map<Run.Id, unknown> {
      override has(run: Run.Id) {
        looked.push(run)
        return super.has(run)
      }
    }
    const { admit } = RunAdmission.make({ runs: 10 }).join(new Executing())
    const begin = (index: number) =>
      admit({ run_id: Run.Id.make(`run-${index}`), input: { input_content: "hi" } }, Effect.void)
    for (let index = 0; index < 60; index++) yield* begin(index)
    assert.include(looked, Run.Id.make("run-0"))
    assert.strictEqual(new Set(looked).size, looked.length, "each ended run is looked at once, and then forgotten")
  }))
