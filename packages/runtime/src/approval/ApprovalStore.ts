// Where approvals are kept. Callers see them through an `Owner`; the runs that they hold up come by their own ids.
//
// Every method that reads says when it is: an approval whose time is over reads as expired, without anybody having written
// that down. An approval goes with its session where the two are in one database; those of runs that are kept in another
// one stay until they are removed.
import type { Approval, Owner, Pagination, Run, StorageUnavailable, Time } from "@svc/domain"
import { Context, type Effect, Layer } from "effect"
import { MemoryDatabase } from "../MemoryDatabase.ts"
import type { ApprovalNotFound, ApprovalNotPending } from "./ApprovalErrors.ts"
import type { ApprovalFilter } from "./ApprovalFilter.ts"
import * as MemoryApprovals from "./MemoryApprovals.ts"

/** What a run has not been told yet. */
export type PendingResume = Pick<Approval.Approval, "id" | "run_id" | "session_id">

export interface PendingResumeRange {
  /** Those behind this one are wanted. Undefined: from the first. */
  readonly after: Approval.Id | undefined
  readonly limit: number
}

export interface ApprovalPage {
  readonly approvals: ReadonlyArray<Approval.Approval>
  readonly total: number
}

export class ApprovalStore extends Context.Service<ApprovalStore, {
  /**
   * Keeps an approval, pending or of type `audit`, and gives the one that is kept: when there was one of this id, it is
   * that one, as it has become. A run that is gone over again asks for nothing twice, and learns what was decided.
   */
  readonly create: (approval: Approval.Approval) => Effect.Effect<Approval.Approval, StorageUnavailable>
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
  /** Of many who resolve one approval at once, one does. Its run is to be told then. */
  readonly resolve: (
    id: Approval.Id,
    owner: Owner.Owner,
    resolution: Approval.ResolutionInput,
    at: Time.EpochSeconds
  ) => Effect.Effect<Approval.Approval, ApprovalNotFound | ApprovalNotPending | StorageUnavailable>
  /** Those that are resolved and whose runs have not been told, in the order of their ids. */
  readonly listPendingResumes: (
    range: PendingResumeRange
  ) => Effect.Effect<ReadonlyArray<PendingResume>, StorageUnavailable>
  /** Its run has been told, or cannot be. */
  readonly markResumed: (id: Approval.Id) => Effect.Effect<void, StorageUnavailable>
  readonly remove: (
    id: Approval.Id,
    owner: Owner.Owner
  ) => Effect.Effect<void, ApprovalNotFound | StorageUnavailable>
  /** All approvals of a run, in the order in which they were made. */
  readonly listByRun: (
    run: Run.Id,
    at: Time.EpochSeconds
  ) => Effect.Effect<ReadonlyArray<Approval.Approval>, StorageUnavailable>
  /** Those that still hold it up. */
  readonly pendingOf: (
    run: Run.Id,
    at: Time.EpochSeconds
  ) => Effect.Effect<ReadonlyArray<Approval.Approval>, StorageUnavailable>
  /**
   * Tells the approvals of a run how it ended. When it was cancelled, those that were pending are cancelled too. A second
   * time changes nothing.
   */
  readonly closeForRun: (
    run: Run.Id,
    status: Run.Status,
    at: Time.EpochSeconds
  ) => Effect.Effect<void, StorageUnavailable>
}>()("@svc/runtime/approval/ApprovalStore") {
  static readonly layerMemory: Layer.Layer<ApprovalStore, never, MemoryDatabase> = Layer.effect(
    ApprovalStore,
    MemoryDatabase.useSync((database) => ApprovalStore.of(MemoryApprovals.make(database)))
  )
}
