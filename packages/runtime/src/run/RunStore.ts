// Stores runs, with their messages and events in the order of acceptance. A run is accepted by `create` and answered
// after `finish`. Each is one transaction, and neither reads earlier runs of the session except for the requested
// history. The journal has the steps of a run between the two.
//
// A run is executed under the number of its lease, its `attempt`. A takeover raises the number, and writes
// under an old one are refused: a node that was only slow cannot write into a run that another node has resumed.
import type * as AnyRun from "@svc/domain/AnyRun"
import type * as ComponentKind from "@svc/domain/ComponentKind"
import type * as Ids from "@svc/domain/Ids"
import type * as Json from "@svc/domain/Json"
import type * as Message from "@svc/domain/Message"
import type * as Owner from "@svc/domain/Owner"
import type * as Pagination from "@svc/domain/Pagination"
import type * as Run from "@svc/domain/Run"
import type * as RunEvent from "@svc/domain/RunEvent"
import type * as RunOption from "@svc/domain/RunOption"
import type * as Session from "@svc/domain/Session"
import type { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import type * as TeamRun from "@svc/domain/TeamRun"
import type * as Time from "@svc/domain/Time"
import type * as Usage from "@svc/domain/Usage"
import { Context, Effect, Layer, type Option } from "effect"
import { AnswerLimit } from "../AnswerLimit.ts"
import type { AnswerTooLarge } from "../AnswerLimit.ts"
import { MemoryDatabase } from "../MemoryDatabase.ts"
import type { SessionNotFound } from "../session/SessionErrors.ts"
import type { StateChange } from "../session/StateChange.ts"
import { HistoryLimit } from "./HistoryLimit.ts"
import * as MemoryRuns from "./MemoryRuns.ts"
import type { RunExists, RunUnreadable, SessionBusy } from "./RunErrors.ts"

export interface NewRun extends RunOption.Values<typeof RunOption.start> {
  readonly run_id: Run.Id
  readonly session_id: Session.Id
  readonly kind: ComponentKind.ComponentKind
  readonly component_id: string
  readonly user_id: Ids.UserId | null
  /**
   * The caller is isolated: the session has to be the user's own, or new. They cannot use a session without an owner.
   */
  readonly isolated: boolean
  /** The node that executes the run: if it comes back without it, the run has ended with it. */
  readonly node: string
  readonly created_at: number
  readonly input: Run.Input
  /** The name of the session until it is renamed. */
  readonly derived_name: string
  /** What the session keeps of its component: name, id, model. */
  readonly component_data: Json.Object
  readonly component_metadata: Json.Object | null
  /** How many of the session's last completed runs to read the messages of. */
  readonly history: number
  /** The run command, with which any node can resume the run. */
  readonly command: Json.Object
  /** The first event, where events are kept. */
  readonly startEvent: RunEvent.RunEvent | undefined
  /** The first journal entries of a run that continues another one. */
  readonly entries: ReadonlyArray<Json.Object>
  /** Whether it is queued behind the unfinished runs of its session. */
  readonly isSerialized: boolean
  /** Whether the caller was refused meanwhile: a statement that stored nothing is not repeated then. */
  readonly isAbandoned?: (() => boolean) | undefined
}

export interface StartSnapshot {
  readonly session_state: Json.Object
  /** Oldest first, without system messages. */
  readonly history: ReadonlyArray<Message.Message>
}

export interface Accepted extends StartSnapshot {
  /** It is stored as PENDING. Its state and history come when it is dequeued. */
  readonly isQueued: boolean
}

export interface QueuePoll {
  /** Of the runs that this node holds. */
  readonly node: string
  readonly sessions: ReadonlyArray<Session.Id>
  /** Of these it is unknown whether they were dequeued: the answer may have been lost. */
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
  readonly next: { readonly run_id: Run.Id; readonly begun: StartSnapshot | undefined } | undefined
}

/** A run under a lease. The first attempt is 1. */
export interface Lease {
  readonly run_id: Run.Id
  readonly attempt: number
}

/** A step that a run has finished. */
export interface JournalWrite extends Lease {
  /** Its place in the run's journal, from 0. */
  readonly position: number
  readonly entry: Json.Object
  /** Those that are not stored yet. */
  readonly events: ReadonlyArray<RunEvent.RunEvent>
}

/** A run that no node executes, with everything needed to resume it. */
export interface RunSnapshot extends Lease {
  readonly session_id: Session.Id
  readonly kind: ComponentKind.ComponentKind
  readonly component_id: string
  readonly user_id: Ids.UserId | null
  /** Before it was taken. */
  readonly status: Run.Status
  readonly isCancelRequested: boolean
  readonly command: Json.Object | null
  /** As it was last stored, with its messages. */
  readonly output: AnyRun.Output
  readonly entries: ReadonlyArray<Json.Object>
  /** How many events are stored. */
  readonly eventCount: number
  readonly session_state: Json.Object
  /** As in `Begun`, of the runs accepted before this one. */
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

/** A run whose lease a node has just acquired. What is stored of it is read by `load`. */
export interface Acquired extends Lease {
  readonly session_id: Session.Id
  readonly kind: ComponentKind.ComponentKind
  readonly component_id: string
  readonly user_id: Ids.UserId | null
  readonly status: Run.Status
  readonly created_at: number
  /** How many events are stored. */
  readonly eventCount: number
  /** How often its holder died since the last journal entry. */
  readonly takeovers: number
  /** How often it was released without being executed since the last journal entry. */
  readonly postponed: number
  /** No live node has been able to execute it for `unservedAfter` seconds. */
  readonly isUnserved: boolean
}

export interface Takeover {
  /** The node that acquires them. */
  readonly node: string
  /** Whether runs are meant that are stored under this node's name and that it does not execute. */
  readonly isStarting: boolean
  /** Runs that this node executes after all. None, when left out. */
  readonly except?: ReadonlyArray<Run.Id> | undefined
  /** Of the node's own runs, only these. All, when left out. */
  readonly only?: ReadonlyArray<Run.Id> | undefined
  /**
   * Seconds without a heartbeat after which a node is dead. One without any heartbeat is dead too. Undefined: none is.
   */
  readonly nodeTimeout: number | undefined
  /** Nodes that are dead, whenever their last heartbeat was. None, when left out. */
  readonly dead?: ReadonlyArray<string> | undefined
  /** The components that the node can execute, as `componentKey` names them. All, when left out. */
  readonly components?: ReadonlyArray<string> | undefined
  /** The newest stored format that the node can read. Any, when left out. */
  readonly format?: number | undefined
  /** Seconds after which a run that no node can execute is acquired. Never, when left out. */
  readonly unservedAfter?: number | undefined
  /** True: only runs with `suspectAfter` takeovers without progress, false: only the others. Both, when left out. */
  readonly suspects?: boolean | undefined
  readonly limit: number
}

/** The description of a node, which is stored with its heartbeat. */
export interface Presence {
  /** Unique for each process. */
  readonly node: string
  /** Names the operating system's process, where others on the same machine can look for it. */
  readonly process: string | null
  readonly components: ReadonlyArray<string>
  readonly format: number
}

export interface KnownNode extends Pick<Presence, "node" | "process"> {
  /** Seconds since the last heartbeat. */
  readonly silentFor: number
}

/** A run that is released without having been executed. */
export interface Postponement extends Lease {
  /** Seconds during which no node acquires it. */
  readonly seconds: number
  /** The stored format that its next holder has to read, where that is newer than what this node reads. */
  readonly format?: number | undefined
}

/** The end of a run that cannot be read. */
export interface SettingAside extends Lease {
  readonly reason: string
  /** Shown until the run is continued; what was stored is kept. */
  readonly output: AnyRun.Output
  readonly last: RunEvent.RunEvent | undefined
  readonly updated_at: number
}

export interface Continuation extends Lease {
  readonly node: string
  /** The decision or input that the run resumes with. */
  readonly entry: Json.Object | undefined
  /** The claim of the request's idempotency key: a retry of the request finds here that it was executed. */
  readonly claim?: string | undefined
}

export interface RunCompletion {
  readonly attempt: number
  /** As it is answered, with its messages. */
  readonly run: AnyRun.Output
  /** The events that are not stored yet. Null when the run cannot be watched: its events are not kept then. */
  readonly events: ReadonlyArray<RunEvent.RunEvent> | null
  /** Merged into the session state when the run ends. Undefined without changes. */
  readonly state_changes: StateChange | undefined
  readonly usage: Usage.RunMetrics
  readonly updated_at: number
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
}

/** New events of an executing run. */
export interface EventBatch extends Lease {
  readonly events: ReadonlyArray<RunEvent.RunEvent>
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

export interface CancelRequested {
  readonly session_id: Session.Id
  readonly status: Run.Status
}

export interface RunFilter {
  /** Of the session. */
  readonly owner: Owner.Owner
  /** Only the runs of this component, and only if the session is its own. */
  readonly component?: { readonly kind: ComponentKind.ComponentKind; readonly id: string } | undefined
  readonly status?: string | undefined
  /** Epoch seconds, inclusive. */
  readonly createdAfter?: number | undefined
  readonly createdBefore?: number | undefined
}

export interface Forking {
  readonly source: Session.Id
  readonly filter: Pick<RunFilter, "owner" | "component">
  /** Of the new session. */
  readonly session_id: Session.Id
  readonly created_at: number
}

export class RunStore extends Context.Service<RunStore, {
  /**
   * Accepts a run: makes its session if there is none, and stores it as RUNNING, or as PENDING when it takes turns and
   * others of its session have not ended. One that interrupts asks for the end of those. A session of another user or
   * of another component is not found; a session without an owner is taken over by the first user who runs in it, but
   * is not found by one who is isolated. `updated_at` moves only if the run changes what the session says of itself.
   */
  readonly create: (
    beginning: NewRun
  ) => Effect.Effect<Accepted, SessionNotFound | SessionBusy | RunExists | StorageUnavailable>
  /**
   * Gives the turn in each of the sessions to the first run that waits in it, if it is this node's and nothing that it
   * has to wait for executes. It returns the state that the runs before have left. Of the uncertain runs it returns
   * those that have it. A run that cannot be read is given back instead, so that the node that acquires it sets it
   * aside.
   */
  readonly dequeue: (turns: QueuePoll) => Effect.Effect<ReadonlyArray<DequeuedRun>, StorageUnavailable>
  /**
   * Stores the end of a run, or its pause, and at its end adds its usage to the session. A session that was deleted
   * meanwhile stays deleted, and a run that has ended stays as it is: an end can be sent again when it is unknown
   * whether it arrived. The journal of a run that can be continued is kept. False when the lease is held under another
   * attempt, so that this is not its end.
   */
  readonly finish: (ending: RunCompletion) => Effect.Effect<boolean, StorageUnavailable>
  /**
   * The same for a serialized run of this node behind which others are queued: the next one is dequeued as well. None
   * is if that would have to wait for a lock, or if the end was stored before.
   */
  readonly finishAndDequeue: (ending: RunCompletion, node: string) => Effect.Effect<Finished, StorageUnavailable>
  /**
   * Stores the runs inside of a run as runs of their own, in their present form. Only the root run is resumed, and they
   * with it. Nothing is stored when the lease of the root run is lost, or when it has ended.
   */
  readonly recordMembers: (
    outer: Lease,
    runs: ReadonlyArray<TeamRun.MemberResponse>
  ) => Effect.Effect<void, StorageUnavailable>
  /**
   * What the member was asked and has answered in the session before, oldest first: the messages of its last completed
   * runs, as in `Begun`, of those inside of runs that were accepted before this one.
   */
  readonly memberHistory: (
    recall: MemberHistoryQuery
  ) => Effect.Effect<ReadonlyArray<Message.Message>, StorageUnavailable>
  /**
   * Stores a finished step with the events up to it. False when the lease is lost, or when the run has ended.
   */
  readonly record: (recorded: JournalWrite) => Effect.Effect<boolean, StorageUnavailable>
  /** A run that a caller may see, with its journal. It stays as it is. One that can be continued says its damage. */
  readonly snapshot: (
    session: Session.Id,
    run: Run.Id,
    filter: RunFilter
  ) => Effect.Effect<Option.Option<RunSnapshot>, StorageUnavailable>
  /**
   * Acquires the lease of a paused or failed run, so that it is running again. Returns the new attempt; none when
   * another node was faster.
   */
  readonly resume: (continuation: Continuation) => Effect.Effect<Option.Option<number>, StorageUnavailable>
  /**
   * Acquires the leases of runs that have not ended and that no node executes: those of dead nodes, those that were
   * given back, and, where `isStarting`, those of the node itself. Runs that the node cannot execute are left to other
   * nodes.
   */
  readonly takeOver: (takeover: Takeover) => Effect.Effect<ReadonlyArray<Acquired>, StorageUnavailable>
  /** Reads a run that this node holds, whatever else is stored. None when it is no longer held under this attempt. */
  readonly load: (held: Lease) => Effect.Effect<Option.Option<RunSnapshot>, RunUnreadable | StorageUnavailable>
  /** Gives a run back, so that any node acquires it later. Nothing happens when it is no longer held. */
  readonly postpone: (postponement: Postponement) => Effect.Effect<void, StorageUnavailable>
  /**
   * Ends a run as ERROR without reading it. What was stored is kept, and is there again when the run is continued.
   * False when it is no longer held.
   */
  readonly setAside: (aside: SettingAside) => Effect.Effect<boolean, StorageUnavailable>
  /**
   * Marks a run that another one replaces: it can be read, and is no part of what later runs are shown. The pending
   * approvals of it and of runs inside of it become cancelled.
   */
  readonly supersede: (run: Run.Id, at: Time.EpochSeconds) => Effect.Effect<void, StorageUnavailable>
  /** Stores the heartbeat of a node. What it says of itself is stored with the first one. */
  readonly heartbeat: (presence: Presence) => Effect.Effect<void, StorageUnavailable>
  /** The nodes with a heartbeat that have not handed over. */
  readonly nodes: Effect.Effect<ReadonlyArray<KnownNode>, StorageUnavailable>
  /** Hands over what a node is executing, so that any node can acquire it. */
  readonly release: (node: string) => Effect.Effect<void, StorageUnavailable>
  /**
   * Copies a session that the caller may see, with all of its runs that are not executing, under new ids. Each copy
   * says which session it came from in the first place. False, and nothing is made, when there is no such run.
   */
  readonly fork: (forking: Forking) => Effect.Effect<boolean, StorageUnavailable>
  /** With its messages, and with its events without the pieces of the answer. */
  readonly find: (
    session: Session.Id,
    run: Run.Id,
    filter: RunFilter
  ) => Effect.Effect<Option.Option<AnyRun.Output>, StorageUnavailable>
  /**
   * In the order of acceptance; none when there is no such session. Statuses compare exactly. The first page has the
   * newest runs, each with those inside of it; without a page all are meant.
   */
  readonly list: (
    session: Session.Id,
    filter: RunFilter,
    page?: Pagination.Request
  ) => Effect.Effect<Option.Option<ReadonlyArray<AnyRun.Output>>, StorageUnavailable | AnswerTooLarge>
  /**
   * Stores what has happened in executing runs, and returns those of them whose lease is still held: of a run that is
   * there under two attempts, at most the later one. Events that are stored already are passed over.
   */
  readonly appendEvents: (
    happened: ReadonlyArray<EventBatch>
  ) => Effect.Effect<ReadonlyArray<Lease>, StorageUnavailable>
  /** None when there is no such run. */
  readonly readEvents: (
    session: Session.Id | undefined,
    run: Run.Id,
    filter: RunFilter,
    range: EventRange
  ) => Effect.Effect<Option.Option<ReadEvents>, StorageUnavailable>
  /** What is new of many runs, at most `limit` events of each. Runs that are not there are left out. */
  readonly pollEvents: (
    polled: ReadonlyArray<PolledRun>,
    limit: number
  ) => Effect.Effect<ReadonlyArray<PolledEvents>, StorageUnavailable>
  /**
   * Requests the end of a run that has not ended. Its node polls for that with `cancelRequested`. Returns what it
   * was then; none when there is no such run at all.
   */
  readonly requestCancel: (
    run: Run.Id,
    session: Session.Id | undefined,
    filter: RunFilter
  ) => Effect.Effect<Option.Option<CancelRequested>, StorageUnavailable>
  /** The runs of a node that have a cancel request. */
  readonly cancelRequested: (node: string) => Effect.Effect<ReadonlyArray<Run.Id>, StorageUnavailable>
}>()("@svc/runtime/run/RunStore") {
  static readonly layerMemory: Layer.Layer<RunStore, never, MemoryDatabase> = Layer.effect(
    RunStore,
    Effect.gen(function*() {
      return RunStore.of(
        MemoryRuns.make(yield* MemoryDatabase, { history: yield* HistoryLimit, answer: yield* AnswerLimit })
      )
    })
  )
}
