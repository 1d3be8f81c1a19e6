// A stored run of a workflow that waits for decisions about steps.
import * as Run from "@svc-runtime/domain/Run"
import * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import type * as WorkflowRun from "@svc-runtime/domain/WorkflowRun"

export const blank = StepRequirement.blank({ step_id: "s", step_name: "ask", step_index: 0, step_type: "Step" })

export const pausedRun = (
  ...step_requirements: ReadonlyArray<StepRequirement.StepRequirement>
): WorkflowRun.Output => ({
  run_id: Run.Id.make("r"),
  workflow_id: "w",
  session_id: "x",
  content_type: "str",
  created_at: 0,
  status: "PAUSED",
  step_requirements
})
