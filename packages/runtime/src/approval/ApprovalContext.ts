// The approvals of a paused run, and whether the caller may decide in their place.
import type * as Approval from "@svc/domain/Approval"
import type * as Run from "@svc/domain/Run"
import { Effect } from "effect"

/** A caller who continues a run and may approve. */
export interface Approver {
  /** Null on a service without authentication. */
  readonly user_id: string | null
}

export interface ApprovalContext {
  /** Of the run, and of the runs inside it. */
  readonly approvals: ReadonlyArray<Approval.Approval>
  /** Undefined if the caller may not approve; their decision is then ignored for calls that require approval. */
  readonly approver: Approver | undefined
}

/** Reads the approvals of a run. */
export type ApprovalsOf<E = never> = (run: Run.Id) => Effect.Effect<ReadonlyArray<Approval.Approval>, E>

export const approvalContextFor = <E>(
  approvalsOf: ApprovalsOf<E>,
  runs: Iterable<Run.Id>,
  approver: Approver | undefined
): Effect.Effect<ApprovalContext, E> =>
  Effect.map(Effect.forEach(new Set(runs), approvalsOf), (all) => ({ approvals: all.flat(), approver }))

export const isDecided = ({ status }: Approval.Approval): boolean => status === "approved" || status === "rejected"
