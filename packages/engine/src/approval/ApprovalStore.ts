// Stores approvals. Callers read them through an `Owner`; runs read their own by their ids.
//
// Every method that reads takes the time: an approval past its `expires_at` reads as expired, although it is stored as
// pending. An approval is deleted with its session if both are in one database. Otherwise it stays until it is removed.
import * as Approval from "@svc-runtime/domain/Approval"
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Run from "@svc-runtime/domain/Run"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Time from "@svc-runtime/domain/Time"
import { Context, type Effect, Schema } from "effect"

// The errors of requests that name an approval.

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

// The filter of a list of approvals.

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

/** A resolved approval whose run has not been resumed. */
export interface PendingResume extends Pick<Approval.Approval, "id" | "run_id" | "session_id"> {
  /** The run that has to be resumed: the run of the approval, or the root run around it. Null if it is not stored. */
  readonly root_run_id: Run.Id | null
  /** Which database has it. Undefined: the service's own. */
  readonly database?: Ids.DatabaseId | undefined
}

export interface ResolvedApproval {
  readonly approval: Approval.Approval
  readonly pendingResume: PendingResume
}

export interface PendingResumeRange {
  /** Only approvals after this id. Undefined: from the first. */
  readonly after: Approval.Id | undefined
  readonly limit: number
}

export interface ApprovalPage {
  readonly approvals: ReadonlyArray<Approval.Approval>
  readonly total: number
}

export class ApprovalStore extends Context.Service<ApprovalStore, {
  /**
   * Stores an approval, pending or of type `audit`, of a run inside `root`, or of `root` itself. Returns the stored one
   * of this id if there is one, so that a replay creates none twice. If that one is resolved, its run pauses for it
   * again, so its resume becomes pending again.
   */
  readonly create: (
    approval: Approval.Approval,
    root: Run.Id,
    /** The database of the run, where a service has several. */
    database?: Ids.DatabaseId | undefined
  ) => Effect.Effect<Approval.Approval, StorageUnavailable>
  readonly get: (
    id: Approval.Id,
    owner: Owner.Owner,
    at: Time.EpochSeconds
  ) => Effect.Effect<Approval.Approval, ApprovalNotFound | StorageUnavailable>
  /** Newest first. */
  readonly list: (
    filter: ApprovalFilter,
    page: Pagination.Request,
    at: Time.EpochSeconds
  ) => Effect.Effect<ApprovalPage, StorageUnavailable>
  readonly countPending: (owner: Owner.Owner, at: Time.EpochSeconds) => Effect.Effect<number, StorageUnavailable>
  /** Of several concurrent calls one succeeds. It makes the resume of the run pending, in the same statement. */
  readonly resolve: (
    id: Approval.Id,
    owner: Owner.Owner,
    resolution: Approval.ResolutionInput,
    at: Time.EpochSeconds
  ) => Effect.Effect<ResolvedApproval, ApprovalNotFound | ApprovalNotPending | StorageUnavailable>
  /** The resolved approvals whose runs have not been resumed, in the order of their ids. */
  readonly listPendingResumes: (
    range: PendingResumeRange
  ) => Effect.Effect<ReadonlyArray<PendingResume>, StorageUnavailable>
  /** Marks approvals whose runs are resumed, or cannot be resumed. */
  readonly markResumed: (ids: ReadonlyArray<Approval.Id>) => Effect.Effect<void, StorageUnavailable>
  readonly remove: (
    id: Approval.Id,
    owner: Owner.Owner
  ) => Effect.Effect<void, ApprovalNotFound | StorageUnavailable>
  /** All approvals of a run, in the order of their creation. */
  readonly listByRun: (
    run: Run.Id,
    at: Time.EpochSeconds,
    /** The database of the run, where a service has several. */
    database?: Ids.DatabaseId | undefined
  ) => Effect.Effect<ReadonlyArray<Approval.Approval>, StorageUnavailable>
  /** Stores the last status of a run in its approvals. Pending ones of a cancelled run become cancelled. Idempotent. */
  readonly closeForRun: (
    run: Run.Id,
    status: Run.Status,
    at: Time.EpochSeconds
  ) => Effect.Effect<void, StorageUnavailable>
}>()("@svc-runtime/engine/approval/ApprovalStore") {}
