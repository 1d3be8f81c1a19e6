// The approvals of the runs inside of workflows.
import type * as Run from "@svc-runtime/domain/Run"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { retryUntilAvailable } from "@svc-runtime/engine/node/retryUntilAvailable"
import { now } from "@svc-runtime/engine/now"
import { Effect } from "effect"
import type { WorkflowExecution } from "../execute/WorkflowExecution.ts"

export const make = Effect.map(ApprovalStore, (approvals): Pick<WorkflowExecution, "approvalsOf" | "endApprovals"> => ({
  // a run whose approvals cannot be read stays paused
  approvalsOf: (run: Run.Id) =>
    Effect.orElseSucceed(Effect.flatMap(now, (time) => approvals.listByRun(run, time)), () => []),
  endApprovals: (run: Run.Id) =>
    Effect.orDie(retryUntilAvailable(Effect.flatMap(now, (time) => approvals.closeForRun(run, "CANCELLED", time))))
}))
