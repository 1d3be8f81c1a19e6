// The approvals of a paused run, and whether the caller may decide in their place.
import type * as Approval from "@svc-runtime/domain/Approval"
import type * as Run from "@svc-runtime/domain/Run"
import type { EpochSeconds } from "@svc-runtime/domain/Time"
import { Effect } from "effect"
import { now } from "../now.ts"

/** A caller who continues a run and may approve. */
export interface Approver {
  /** Null on a service without authentication. */
  readonly user_id: string | null
}

/** The decision on a pending approval, of a caller who continues its run. */
export interface DecidedApproval extends Approval.ResolutionInput {
  readonly id: Approval.Id
  readonly at: EpochSeconds
}

export interface ApprovalContext {
  /** Of the run, and of the runs inside it. */
  readonly approvals: ReadonlyArray<Approval.Approval>
  /** Undefined if the caller may not approve; their decision is then ignored for calls that require approval. */
  readonly approver: Approver | undefined
  /** Calls that wait for a time until then are answered. Left out: none. */
  readonly at?: EpochSeconds | undefined
}

/** Reads the approvals of a run. */
export type ApprovalsOf<E = never> = (run: Run.Id) => Effect.Effect<ReadonlyArray<Approval.Approval>, E>

export const approvalContextFor = <E>(
  approvalsOf: ApprovalsOf<E>,
  runs: Iterable<Run.Id>,
  approver: Approver | undefined
): Effect.Effect<ApprovalContext & { readonly at: EpochSeconds }, E> =>
  Effect.zipWith(
    Effect.forEach(new Set(runs), approvalsOf),
    now,
    (all, at) => ({ approvals: all.flat(), approver, at })
  )

export const isDecided = ({ status }: Approval.Approval): boolean => status === "approved" || status === "rejected"
