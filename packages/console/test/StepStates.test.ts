import { assert, describe, it } from "@effect/vitest"
import { countsOf, statesOf } from "../src/workflows/StepStates.ts"

describe("The steps of a run that has ended", () => {
  it("A step that executed has failed or was cancelled with its workflow, and an inner workflow changes no others.", () => {
    const started = [{ event: "StepCompleted", step_name: "plan" }, { event: "StepStarted", step_name: "write" }]
    const after = (...events: ReadonlyArray<{ readonly event: string; readonly nested_depth?: number }>) =>
      Object.fromEntries(statesOf([...started, ...events]))
    assert.deepStrictEqual(after({ event: "WorkflowError" }), { plan: "completed", write: "failed" })
    assert.deepStrictEqual(after({ event: "WorkflowCancelled" }), { plan: "completed", write: "cancelled" })
    assert.deepStrictEqual(after({ event: "WorkflowError", nested_depth: 1 }), {
      plan: "completed",
      write: "executing"
    })
  })
})

describe("The steps of a list", () => {
  it("A list has the number of its items, and a step inside the number of items that it is completed for.", () => {
    const completed = (item: number) => ({ event: "StepCompleted", step_name: "send", step_index: [1, item, 0] })
    const events = [
      { event: "ParallelExecutionStarted", step_name: "each", step_index: 1, parallel_step_count: 3 },
      completed(0),
      completed(2),
      completed(2)
    ]
    assert.deepStrictEqual(Object.fromEntries(countsOf(events)), { each: 3, send: 2 })
  })
})
