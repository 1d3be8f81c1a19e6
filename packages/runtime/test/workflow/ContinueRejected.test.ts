// Why a workflow is not continued, as reasons that every transport can map.
import { assert, describe, it } from "@effect/vitest"
import { Run, StepRequirement, type WorkflowRun } from "@svc/domain"
import { Effect } from "effect"
import * as WorkflowContinuation from "../../src/workflow/WorkflowContinuation.ts"

const blank = StepRequirement.blank({ step_id: "s", step_name: "ask", step_index: 0, step_type: "Step" })

const output: WorkflowRun.Output = {
  run_id: Run.Id.make("r"),
  workflow_id: "w",
  session_id: "x",
  content_type: "str",
  created_at: 0,
  status: "PAUSED",
  step_requirements: [{ ...blank, requires_confirmation: true }]
}

const rejected = (decisions: Partial<WorkflowContinuation.Decisions>, status: Run.Status = "PAUSED") =>
  Effect.map(
    Effect.flip(
      WorkflowContinuation.plan({ output, status }, { steps: [], errors: [], ...decisions }, { approver: undefined })
    ),
    ({ field, reason }) => [reason, field]
  )

describe("WorkflowContinuation.plan", () => {
  it.effect("the error names the field of a malformed decision", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* rejected({ steps: "yes" }), ["malformed", "step_requirements"])
      assert.deepStrictEqual(yield* rejected({ errors: "yes" }), ["malformed", "error_requirements"])
      const other = [{ step_id: "other", confirmed: true }]
      assert.deepStrictEqual(yield* rejected({ steps: other }), ["malformed", "step_requirements"])
    }))

  it.effect("a missing decision differs from a malformed one", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* rejected({}), ["unresolved", undefined])
    }))

  it.effect("a run that is not paused is rejected before the decisions are read", () =>
    Effect.gen(function*() {
      for (const status of ["RUNNING", "PENDING", "COMPLETED", "ERROR", "CANCELLED"] as const) {
        assert.deepStrictEqual(yield* rejected({ steps: "yes" }, status), ["notPaused", undefined])
      }
    }))
})
