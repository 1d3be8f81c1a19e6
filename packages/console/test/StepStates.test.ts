import { assert, describe, it } from "@effect/vitest"
import { statesOf } from "../src/workflows/StepStates.ts"

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
