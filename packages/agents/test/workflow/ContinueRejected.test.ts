// Why a workflow is not continued, as reasons that every transport can map.
import { assert, describe, it } from "@effect/vitest"
import * as Session from "@svc-runtime/domain/Session"
import type { SentDecisions } from "@svc-runtime/engine/run/Continuation"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import { Effect } from "effect"
import * as WorkflowContinuation from "../../src/workflow/pause/WorkflowContinuation.ts"
import { blank, pausedRun } from "./PausedRun.ts"

const output = pausedRun({ ...blank, requires_confirmation: true })

const run: RunSnapshot = {
  run_id: output.run_id,
  session_id: Session.Id.make("x"),
  kind: "workflow",
  component_id: "w",
  user_id: null,
  status: "PAUSED",
  attempt: 1,
  isCancelRequested: false,
  node: "node",
  command: null,
  output,
  entries: [],
  eventCount: 0,
  session_state: {},
  history: [],
  resumedAt: undefined,
  resumeClaims: []
}

const { conflictOf, plan } = WorkflowContinuation.continuation

const rejected = (decisions: SentDecisions) =>
  Effect.map(
    Effect.flip(plan(run, { decisions, input: undefined }, { approvals: [], approver: undefined })),
    ({ field, reason }) => [reason, field]
  )

describe("WorkflowContinuation", () => {
  it.effect("the error names the field of a malformed decision", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* rejected({ step_requirements: "yes" }), ["malformed", "step_requirements"])
      assert.deepStrictEqual(yield* rejected({ error_requirements: "yes" }), ["malformed", "error_requirements"])
      const other = [{ step_id: "other", confirmed: true }]
      assert.deepStrictEqual(yield* rejected({ step_requirements: other }), ["malformed", "step_requirements"])
    }))

  it.effect("a missing decision differs from a malformed one", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* rejected({}), ["unresolved", undefined])
    }))

  it.effect.each<readonly [object, SentDecisions["step_requirements"] & object, string]>([
    [{ requires_confirmation: true }, { confirmed: true, user_input: { day: "monday" } }, "takes no values"],
    [{ requires_confirmation: true }, { confirmed: true, selected_choices: ["a"] }, "takes no choices"],
    [{ requires_confirmation: true }, { confirmed: true, edited_output: "other" }, "takes no edited output"],
    [
      { requires_output_review: true },
      { confirmed: false, user_input: { day: "monday" } },
      "is both rejected and given values"
    ]
  ])(
    "a decision on a step with what it does not wait for is refused: %j %j",
    ([waiting, decision, problem]) =>
      Effect.gen(function*() {
        const output = pausedRun({ ...blank, ...waiting })
        const decided = (fields: object) =>
          plan(
            { ...run, output },
            { decisions: { step_requirements: [{ step_id: blank.step_id, ...fields }] }, input: undefined },
            { approvals: [], approver: undefined }
          )
        const refused = yield* Effect.flip(decided(decision))
        assert.deepInclude(refused, { reason: "malformed", field: "step_requirements" })
        assert.include(refused.message, problem)
        yield* decided({ confirmed: true, user_input: {}, selected_choices: [], edited_output: null })
      })
  )

  it("a run that is not paused is rejected before the decisions are read", () => {
    for (const status of ["RUNNING", "PENDING", "COMPLETED", "ERROR", "CANCELLED"] as const) {
      const conflict = conflictOf({ ...run, status }, { step_requirements: "yes" })
      assert.deepInclude(conflict, { reason: "notPaused", status })
    }
    assert.isUndefined(conflictOf(run, { step_requirements: "yes" }))
  })
})
