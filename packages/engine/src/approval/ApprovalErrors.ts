// The errors of requests that name an approval.
import * as Approval from "@svc-runtime/domain/Approval"
import { Schema } from "effect"

/** The approval does not exist, or the caller has no access: the two have the same error. */
export class ApprovalNotFound extends Schema.TaggedError<ApprovalNotFound>()("ApprovalNotFound", {
  approval_id: Approval.Id
}) {
  override get message() {
    return "Approval not found"
  }
}

/** It is already resolved or expired, or its run was cancelled. */
export class ApprovalNotPending extends Schema.TaggedError<ApprovalNotPending>()("ApprovalNotPending", {
  approval_id: Approval.Id,
  status: Approval.Status
}) {
  override get message() {
    return `Approval is already '${this.status}' and cannot be resolved`
  }
}
