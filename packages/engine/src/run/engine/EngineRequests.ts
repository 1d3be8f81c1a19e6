// What callers ask an engine for.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { Effect, Option } from "effect"
import type { DecidedApproval } from "../../approval/ApprovalContext.ts"
import type { RunCommand } from "../RunCommand.ts"
import type { LimitReached, TooManyRuns } from "../RunErrors.ts"
import type { RunHandle } from "../RunHandle.ts"
import type { RunMode } from "../Runners.ts"
import type { CreateError } from "../store/RunLifecycle.ts"
import type { RunFilter, RunSnapshot } from "../store/RunReads.ts"

export interface CancelRequest {
  readonly run_id: Run.Id
  /** Undefined if only the id of the run is known. */
  readonly session_id: Session.Id | undefined
  readonly filter: RunFilter
  /** The database of the run. Left out: that of the filter's component, or any. */
  readonly database?: Ids.DatabaseId | undefined
  /** A time limit cancels the run. Only the node that executes it can know. */
  readonly isLate?: boolean | undefined
}

export interface ResumeRequest extends RunMode {
  readonly snapshot: RunSnapshot
  /** The decision or input that the run resumes with. */
  readonly entry: Json.Object | undefined
  /** As those of `Resumption`. */
  readonly decided?: ReadonlyArray<DecidedApproval> | undefined
  /** The claim of the request's idempotency key. */
  readonly claim?: string | undefined
}

export type Start = (command: RunCommand) => Effect.Effect<RunHandle, CreateError | TooManyRuns>

export type Continue = (
  request: ResumeRequest
) => Effect.Effect<Option.Option<RunHandle>, LimitReached | StorageUnavailable>
