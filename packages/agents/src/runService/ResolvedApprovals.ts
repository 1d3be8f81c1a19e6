// What the approvals of a paused run have decided while it waits for something else. The stored run does not change
// before it is resumed, so its open calls would look as if they still waited for a person.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Approval from "@svc-runtime/domain/Approval"
import * as Json from "@svc-runtime/domain/Json"
import * as Requirement from "@svc-runtime/domain/Requirement"
import * as Run from "@svc-runtime/domain/Run"
import { isDecided } from "@svc-runtime/engine/approval/ApprovalContext"
import { Schema } from "effect"

const isAwaited = (requirement: Requirement.Requirement): boolean => {
  const { tool_execution: tool } = requirement
  return tool.approval_type === "required" && tool.asked === undefined && tool.outcome_unknown !== true &&
    Requirement.isOpen(requirement)
}

const isRequirement = Schema.is(Requirement.Requirement)

/** The calls that wait for approvals, by the runs that have these. */
const awaitedIn = (run: AnyRun.Output): ReadonlyArray<readonly [string | undefined, Requirement.Requirement]> =>
  AnyRun.isWorkflow(run)
    ? (run.step_requirements ?? []).flatMap(({ executor_requirements = [], executor_run_id }) =>
      executor_requirements.filter(isRequirement).filter(isAwaited).map((each) =>
        [each.member_run_id ?? executor_run_id, each] as const
      )
    )
    : (run.requirements ?? []).filter(isAwaited).map((each) => [each.member_run_id ?? run.run_id, each] as const)

/** The runs whose approvals it waits for. */
export const runsOf = (run: AnyRun.Output): ReadonlyArray<Run.Id> =>
  run.status === "PAUSED"
    ? [...new Set(awaitedIn(run).flatMap(([id]) => id === undefined ? [] : [Run.Id.make(id)]))]
    : []

/** The run, with the statuses of the approvals in its requirements. */
export const shown = (run: AnyRun.Output, approvals: ReadonlyArray<Approval.Approval>): AnyRun.Output => {
  const resolved = approvals.filter(isDecided)
  if (resolved.length === 0) return run
  const decided = (requirement: Requirement.Requirement): Requirement.Requirement => {
    if (!isAwaited(requirement)) return requirement
    const approval = resolved.find((one) => Approval.isAbout(one, requirement.tool_execution, requirement.id))
    if (approval === undefined) return requirement
    return { ...requirement, approval_status: approval.status === "approved" ? "approved" : "rejected" }
  }
  if (!AnyRun.isWorkflow(run)) return { ...run, requirements: (run.requirements ?? []).map(decided) }
  const steps = (run.step_requirements ?? []).map((step) =>
    step.executor_requirements === undefined ? step : {
      ...step,
      executor_requirements: step.executor_requirements.map((each) =>
        isRequirement(each) ? Json.of(decided(each)) : each
      )
    }
  )
  return { ...run, step_requirements: steps }
}
