// The filter of a list of approvals.
import type * as Approval from "@svc-runtime/domain/Approval"
import type * as Owner from "@svc-runtime/domain/Owner"

/** The fields that are compared with stored values. The status is not one of them, because it expires by itself. */
export const filterable = [
  "source_type",
  "approval_type",
  "pause_type",
  "agent_id",
  "team_id",
  "workflow_id",
  "schedule_id",
  "run_id"
] as const satisfies ReadonlyArray<keyof Approval.Approval>

export interface ApprovalFilter {
  readonly owner: Owner.Owner
  /** As it reads. */
  readonly status?: Approval.Status | undefined
  readonly fields?: { readonly [Field in (typeof filterable)[number]]?: string | undefined } | undefined
}
