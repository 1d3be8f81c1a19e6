// Values of the store about reading runs and their events.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Message from "@svc-runtime/domain/Message"
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type * as RunItem from "@svc-runtime/domain/RunItem"
import type * as Session from "@svc-runtime/domain/Session"
import type * as Sort from "@svc-runtime/domain/Sort"
import type { Lease } from "../../node/LeasedRuns.ts"

/** A run that no node executes, with everything needed to resume it. */
export interface RunSnapshot extends Lease {
  readonly session_id: Session.Id
  readonly kind: ComponentKind.ComponentKind
  readonly component_id: string
  /** Of a stored component. */
  readonly component_version?: number | undefined
  readonly user_id: Ids.UserId | null
  /** Before it was taken. */
  readonly status: Run.Status
  readonly isCancelRequested: boolean
  /** The node that has executed it last. */
  readonly node: string
  readonly command: Json.Object | null
  /** As it was last stored, with its messages. */
  readonly output: AnyRun.Output
  readonly entries: ReadonlyArray<Json.Object>
  /** How many events are stored. */
  readonly eventCount: number
  /** The last of them, if words may have been shown behind it: its node has stopped, and it is a word or a blank. */
  readonly lastWord?: RunEvent.RunEvent | undefined
  readonly session_state: Json.Object
  /** Messages of runs accepted before this one, in the form of `StartSnapshot.history`. */
  readonly history: ReadonlyArray<Message.Message>
  /** How many of the entries were written before the run was last resumed. Undefined when it never was. */
  readonly resumedAt: number | undefined
  /** The claims of idempotency keys under which the run was resumed. */
  readonly resumeClaims: ReadonlyArray<string>
  /** Why it must not be resumed: the part of its stored data that is missing. Undefined if it is complete. */
  readonly damage?: string | undefined
  /** The database that it was read from, where a service has several. */
  readonly database?: Ids.DatabaseId | undefined
}

/** The query for the history of a member of a team. */
export interface MemberHistoryQuery {
  /** The root run around the new run of the member. */
  readonly run_id: Run.Id
  readonly component: { readonly kind: ComponentKind.ComponentKind; readonly id: string }
  /** The team of the member. */
  readonly team: string
  /** The number of its runs. */
  readonly limit: number
  /** Runs that were cancelled or failed are not among them. */
  readonly skipsUnfinished?: boolean | undefined
}

export interface EventRange {
  /** Events behind this index; -1 for all of them. */
  readonly after: number
  readonly limit: number
}

export interface ReadEvents {
  readonly status: Run.Status
  /** The total number of events of the run. */
  readonly count: number
  /** In their order, pieces of the answer and all. */
  readonly events: ReadonlyArray<RunEvent.RunEvent>
}

/** A run whose new events a watcher wants, who may see it. */
export interface PolledRun {
  readonly run_id: Run.Id
  /** Events behind this index. */
  readonly after: number
}

export interface PolledEvents {
  readonly run_id: Run.Id
  /** "unreadable": a new event of the run cannot be read, and none is given. */
  readonly status: Run.Status | "unreadable"
  /** In their order. */
  readonly events: ReadonlyArray<RunEvent.RunEvent>
  /** Whether more are stored behind these. */
  readonly hasMore: boolean
}

export interface RunKey {
  readonly run_id: Run.Id
  readonly session_id: Session.Id
}

export interface CancelRequested {
  readonly session_id: Session.Id
  readonly status: Run.Status
}

export interface RunFilter {
  /** The owner of the session. */
  readonly owner: Owner.Owner
  /** Only the runs of this component, and only if the session is its own. */
  readonly component?: { readonly kind: ComponentKind.ComponentKind; readonly id: string } | undefined
  readonly status?: string | undefined
  /** Epoch seconds, inclusive. */
  readonly createdAfter?: number | undefined
  readonly createdBefore?: number | undefined
  /** Only the run that a request with this claim of an idempotency key has started. */
  readonly startClaim?: string | undefined
}

/** Where a page of found runs ends. */
export interface FoundAt {
  readonly updated_at: number
  readonly position: number
}

/** Root runs of a component, in any session. */
export interface RunSearch {
  readonly filter: Pick<RunFilter, "owner"> & { readonly component: NonNullable<RunFilter["component"]> }
  readonly run_id?: Run.Id | undefined
  readonly session_id?: Session.Id | undefined
  readonly statuses?: ReadonlyArray<Run.Status> | undefined
  /** Only runs that ended with this type of error, or only others. The stored last event has the type. */
  readonly errorType?: { readonly type: string; readonly isMeant: boolean } | undefined
  /** Epoch seconds, inclusive. */
  readonly updatedFrom?: number | undefined
  /** Only runs that a node with a name that begins like this has executed last. */
  readonly nodes?: string | undefined
  /** Only those behind this one. */
  readonly after?: FoundAt | undefined
  /** How many are skipped. None when left out. */
  readonly offset?: number | undefined
  readonly limit: number
  /** Only runs on the paths of their sessions. */
  readonly isOnPath?: boolean | undefined
  /** Whether the found runs are read as well: only as many as fit into one response, at least one. */
  readonly isReading?: boolean | undefined
}

export interface FoundRun extends FoundAt {
  readonly run_id: Run.Id
  readonly session_id: Session.Id
  readonly status: Run.Status
  readonly metadata: Json.Object | null
  /**
   * Of a search that reads: without messages, and of its events only the last one of a failed run. Undefined if the run
   * cannot be read, or was deleted meanwhile.
   */
  readonly output?: AnyRun.Output
}

/** Where a root run is in the tree of its session. */
export interface PlacedRun {
  readonly run_id: Run.Id
  /** The run that it comes after. Null: it is the first one of its path. */
  readonly previous_run_id: Run.Id | null
  /** Whether it is on the path that leads to the leaf. */
  readonly is_on_path: boolean
  /** Whether it belongs to the run before it: see `Place`. */
  readonly is_addition: boolean
}

export interface FoundRuns {
  /** The last changed one first. */
  readonly runs: ReadonlyArray<FoundRun>
  /** How many there are on all pages, counted up to `maxCounted`. */
  readonly total: number
  /** More than `StoreLimits.response` if runs were left out, because they did not fit. */
  readonly bytes: number
}

/** Root runs of any component, in any session. */
export interface RunListFilter {
  /** The owner of the sessions. */
  readonly owner: Owner.Owner
  readonly kind?: ComponentKind.ComponentKind | undefined
  readonly component_id?: string | undefined
  readonly run_id?: string | undefined
  readonly session_id?: string | undefined
  readonly status?: Run.Status | undefined
  /** Epoch seconds, inclusive. */
  readonly createdAfter?: number | undefined
  readonly createdBefore?: number | undefined
  /**
   * By `duration`, `total_tokens` or `cost` only the newest 10,000 runs are sorted. By anything else the runs are in
   * the order in which they began.
   */
  readonly sort?: { readonly by: string; readonly order: Sort.Order } | undefined
}

export interface ListedRuns {
  readonly runs: ReadonlyArray<RunItem.Stored>
  /** How many there are on all pages, counted up to `maxCounted`. */
  readonly total: number
}

export const maxCounted = 10_000
