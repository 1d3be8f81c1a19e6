// Values of the store about accepting, continuing and ending runs.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Approval from "@svc-runtime/domain/Approval"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Message from "@svc-runtime/domain/Message"
import type * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type * as RunOption from "@svc-runtime/domain/RunOption"
import type * as Session from "@svc-runtime/domain/Session"
import type * as Usage from "@svc-runtime/domain/Usage"
import type { DecidedApproval } from "../../approval/ApprovalContext.ts"
import type { Assumption } from "../../ComponentPrecondition.ts"
import type * as Job from "../../jobs/Job.ts"
import type { JobsAfterRun } from "../../jobs/JobsAfterRun.ts"
import type { Payer } from "../../limits/Spending.ts"
import type { Lease } from "../../node/LeasedRuns.ts"
import type { StateChange } from "../../session/StateChange.ts"
import type { LimitedStart } from "../StartLimits.ts"
import type { RunFilter } from "./RunReads.ts"

/** Where a new run is in the tree of its session. */
export interface Place {
  /**
   * Runs of the session. The first one that is a root run of it counts: the new run comes after it and the additions
   * that follow it, or before it.
   */
  readonly known: ReadonlyArray<{ readonly run_id: Run.Id; readonly isBefore?: boolean | undefined }>
  /**
   * If none of them is: the new run comes after the leaf, it begins a path of its own, or it is not found. An
   * _addition_ comes after the leaf of a session that exists. It belongs to the run before it, which its user may know
   * without it.
   */
  readonly otherwise: "leaf" | "first" | "notFound" | "addition"
}

export interface NewRun extends Omit<RunOption.Values<typeof RunOption.start>, "previous_run_id"> {
  readonly run_id: Run.Id
  readonly session_id: Session.Id
  readonly kind: ComponentKind.ComponentKind
  readonly component_id: string
  /** Of a stored component. */
  readonly component_version?: number | undefined
  readonly user_id: Ids.UserId | null
  /**
   * The caller is isolated: the session has to be the user's own, or new. They cannot use a session without an owner.
   */
  readonly isolated: boolean
  /** The node that executes the run: if it comes back without it, the run has ended with it. */
  readonly node: string
  readonly created_at: number
  /** Distinguishes this start from others with the same `run_id`. The store makes one, when left out. */
  readonly begin_id?: string | undefined
  readonly input: Run.Input
  /** The name of the session until it is renamed. */
  readonly derived_name: string
  /** What the session keeps of its component: name, id, model. */
  readonly component_data: Json.Object
  readonly component_metadata: Json.Object | null
  /** How many of the session's last ended runs to read the messages of. */
  readonly history: number
  /** Runs that were cancelled or failed are not among them. */
  readonly skipsUnfinished?: boolean | undefined
  /** The run command, with which any node can resume the run. */
  readonly command: Json.Object
  /** The first event, where events are kept. */
  readonly startEvent: RunEvent.RunEvent | undefined
  /** The first journal entries of a run that continues another one. */
  readonly entries: ReadonlyArray<Json.Object>
  /** It is neither summarized nor found by a search, and neither is one that replaces it. */
  readonly isWithoutMemory?: boolean | undefined
  /** The run whose messages it begins with as its own. */
  readonly replaces?: Run.Id | undefined
  /** After the leaf of the session when left out. */
  readonly place?: Place | undefined
  /** The claim of the request's idempotency key. */
  readonly claim?: string | undefined
  /** What has to be so when the run is stored. */
  readonly assumes?: ReadonlyArray<Assumption> | undefined
  /** Whether it is queued behind the unfinished runs of its session. */
  readonly isSerialized: boolean
  /** What it must not exceed. Undefined: nothing is counted. */
  readonly limited?: LimitedStart | undefined
  /** Whether the caller was refused meanwhile: a statement that stored nothing is not repeated then. */
  readonly isCallerRefused?: (() => boolean) | undefined
}

export interface StartSnapshot {
  readonly session_state: Json.Object
  /** Oldest first, without system messages. Of unfinished runs as `UnfinishedTurn.shown` makes them. */
  readonly history: ReadonlyArray<Message.Message>
}

export interface Accepted extends StartSnapshot {
  /** It is stored as PENDING. Its state and history come when it is dequeued. */
  readonly isQueued: boolean
}

export interface QueuePoll {
  /** The node that holds the runs. */
  readonly node: string
  readonly sessions: ReadonlyArray<Session.Id>
  /** Runs that may have been dequeued: the reply may have been lost. */
  readonly uncertain: ReadonlyArray<Run.Id>
}

export interface DequeuedRun extends StartSnapshot {
  readonly run_id: Run.Id
}

/** The result of `finishAndDequeue`. */
export interface Finished {
  /** The result of `finish`. */
  readonly isHeld: boolean
  /** The dequeued run. What it begins with is undefined when it is large: `dequeue` returns it for an uncertain run. */
  readonly next: { readonly run_id: Run.Id; readonly snapshot: StartSnapshot | undefined } | undefined
}

/** A step that a run has finished. */
export interface JournalWrite extends Lease {
  /** Its place in the run's journal, from 0. */
  readonly position: number
  readonly entry: Json.Object
  /** Events that are not stored yet. */
  readonly events: ReadonlyArray<RunEvent.RunEvent>
}

/** What `RunStore.resume` stores of a run that is resumed by a request. */
export interface Resumption extends Lease {
  readonly node: string
  /** The decision or input that the run resumes with. */
  readonly entry: Json.Object | undefined
  /** Resolved with it. The run is not resumed if one of them is not pending any more. Left out: none. */
  readonly decided?: ReadonlyArray<DecidedApproval> | undefined
  /** The claim of the request's idempotency key: a retry of the request finds here that it was executed. */
  readonly claim?: string | undefined
  /** What it must not exceed. Undefined: nothing is counted. */
  readonly limited?: LimitedStart | undefined
  /** Who pays for its requests to models. The engine asks before it calls the store. */
  readonly payer?: Payer | undefined
  /** Whether the caller was refused meanwhile: a statement that stored nothing is not repeated then. */
  readonly isCallerRefused?: (() => boolean) | undefined
}

export interface RunCompletion {
  readonly attempt: number
  /** As it is shown, with its messages. */
  readonly run: AnyRun.Output
  /** The events that are not stored yet. Null when the run cannot be watched: its events are not kept then. */
  readonly events: ReadonlyArray<RunEvent.RunEvent> | null
  /** Merged into the session state when the run ends. Undefined without changes. */
  readonly state_changes: StateChange | undefined
  readonly usage: Usage.RunMetrics
  readonly updated_at: number
  /** Enqueued with the end, and only if this stores it. */
  readonly jobs?: JobsAfterRun | undefined
}

/** New events of an executing run. */
export interface EventBatch extends Lease {
  readonly events: ReadonlyArray<RunEvent.RunEvent>
}

/** A job without a user, whose payload the store makes: the ids of both sessions, and what `Forked` has. */
export type ForkJob = Pick<Job.NewJob, "id" | "kind" | "max_attempts"> & { readonly run_at: number }

export interface Forking {
  readonly source: Session.Id
  readonly filter: Pick<RunFilter, "owner" | "component">
  /** The id of the new session. */
  readonly session_id: Session.Id
  readonly created_at: number
  /** Stored with the copy if runs in it are paused. */
  readonly job?: ForkJob | undefined
}

export interface Forked {
  /** The run of the source of each copy that is paused, by the id of the copy. */
  readonly paused: ReadonlyMap<Run.Id, Run.Id>
  /** The newest approval that each of these runs of the source has. The source can be deleted at any time. */
  readonly approvals: ReadonlyArray<Approval.Approval>
}
