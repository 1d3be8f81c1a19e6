// The errors of requests that name an approval.
import * as Approval from "@svc/domain/Approval"
import { Schema } from "effect"

/** Absent, or not for the caller to touch: from outside the two look the same. */
export class ApprovalNotFound extends Schema.TaggedError<ApprovalNotFound>()("ApprovalNotFound", {
  approval_id: Approval.Id
}) {
  override get message() {
    return "Approval not found"
  }
}

/** Resolved before, too late, or of a run that was cancelled. */
export class ApprovalNotPending extends Schema.TaggedError<ApprovalNotPending>()("ApprovalNotPending", {
  approval_id: Approval.Id,
  status: Approval.Status
}) {
  override get message() {
    return `Approval is already '${this.status}' and cannot be resolved`
  }
}
