// Stores runs, with their messages and events in the order of acceptance. A run is accepted by `create` and answered
// after `finish`. Each is one transaction, and neither reads earlier runs of the session except for the requested
// history. The journal has the steps of a run between the two.
//
// A run is executed under the number of its lease, its `attempt`. A takeover raises the number, and writes
// under an old one are refused: a node that was only slow cannot write into a run that another node has resumed.
import type * as AnyRun from "@svc/domain/AnyRun"
import type * as Message from "@svc/domain/Message"
import type * as Owner from "@svc/domain/Owner"
import type * as Pagination from "@svc/domain/Pagination"
import type * as Run from "@svc/domain/Run"
import type * as Session from "@svc/domain/Session"
import type { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import type * as TeamRun from "@svc/domain/TeamRun"
import type * as Time from "@svc/domain/Time"
import { Context, Effect, Layer, type Option } from "effect"
import { MemoryDatabase } from "../inMemory/MemoryDatabase.ts"
import { AnswerLimit } from "../limits/AnswerLimit.ts"
import type { AnswerTooLarge } from "../limits/AnswerLimit.ts"
import type {
  Acquired,
  KnownNode,
  Lease,
  NodeRuns,
  Postponement,
  Presence,
  SettingAside,
  Takeover
} from "../node/LeasedRuns.ts"
import type { SessionNotFound } from "../session/SessionErrors.ts"
import { HistoryLimit } from "./HistoryLimit.ts"
import * as MemoryRuns from "./MemoryRuns.ts"
import type { ComponentOutdated, LimitReached, RunExists, RunUnreadable, SessionBusy } from "./RunErrors.ts"
import type {
  CancelRequested,
  EventRange,
  FoundRuns,
  ListedRuns,
  MemberHistoryQuery,
  PolledEvents,
  PolledRun,
  ReadEvents,
  RunFilter,
  RunListFilter,
  RunSearch,
  RunSnapshot,
  UnfinishedRun
} from "./RunReads.ts"
import type {
  Accepted,
  Continuation,
  DequeuedRun,
  EventBatch,
  Finished,
  Forking,
  JournalWrite,
  NewRun,
  QueuePoll,
  RunCompletion
} from "./RunWrites.ts"

export class RunStore extends Context.Service<RunStore, {
  /**
   * Accepts a run: makes its session if there is none, and stores it as RUNNING, or as PENDING when it takes turns and
   * others of its session have not ended. One that interrupts asks for the end of those. A session of another user or
   * of another component is not found; a session without an owner is taken over by the first user who runs in it, but
   * is not found by one who is isolated. `updated_at` moves only if the run changes what the session says of itself.
   */
  readonly create: (
    beginning: NewRun
  ) => Effect.Effect<
    Accepted,
    ComponentOutdated | LimitReached | SessionNotFound | SessionBusy | RunExists | StorageUnavailable
  >
  /**
   * Gives the turn in each of the sessions to the first run that waits in it, if it is this node's and nothing that it
   * has to wait for executes. It returns the state that the runs before have left. Of the uncertain runs it returns
   * the ones that have it. A run that cannot be read is given back instead, so that the node that acquires it sets it
   * aside.
   */
  readonly dequeue: (turns: QueuePoll) => Effect.Effect<ReadonlyArray<DequeuedRun>, StorageUnavailable>
  /**
   * Runs of a node that wait for room and fit into their limits now count as unfinished, and are queued in their
   * sessions. Returns these sessions.
   */
  readonly admitWaiting: (node: string) => Effect.Effect<ReadonlyArray<Session.Id>, StorageUnavailable>
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
  readonly resume: (
    continuation: Continuation
  ) => Effect.Effect<Option.Option<number>, LimitReached | StorageUnavailable>
  /**
   * Acquires the leases of runs that have not ended and that no node executes: runs of dead nodes, released runs,
   * and, where `isStarting`, runs of the node itself. Runs that the node cannot execute are left to other nodes.
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
  /** How many runs that have not ended each node has. No more than `mostCountedRuns` are counted in all. */
  readonly nodeRuns: Effect.Effect<ReadonlyArray<NodeRuns>, StorageUnavailable>
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
  /** Under which a run is or was executed last. None when there is no such run. */
  readonly attemptOf: (
    session: Session.Id,
    run: Run.Id
  ) => Effect.Effect<Option.Option<number>, StorageUnavailable>
  /**
   * In the order of acceptance; none when there is no such session. Statuses compare exactly. The first page has the
   * newest runs, each with those inside of it; without a page all are meant.
   */
  readonly list: (
    session: Session.Id,
    filter: RunFilter,
    page?: Pagination.Request
  ) => Effect.Effect<Option.Option<ReadonlyArray<AnyRun.Output>>, StorageUnavailable | AnswerTooLarge>
  /** Finds runs, and reads them if wanted. */
  readonly search: (search: RunSearch) => Effect.Effect<FoundRuns, StorageUnavailable>
  /** The runs of all sessions without their contents and without those inside of them. The newest first. */
  readonly listAll: (filter: RunListFilter, page: Pagination.Request) => Effect.Effect<ListedRuns, StorageUnavailable>
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
  /**
   * Runs in any of the sessions that have not ended or paused and have no cancel request, at most `limit`: after a
   * cancel request for each, the next call returns others.
   */
  readonly unfinished: (
    sessions: ReadonlyArray<Session.Id>,
    owner: Owner.Owner,
    limit: number
  ) => Effect.Effect<ReadonlyArray<UnfinishedRun>, StorageUnavailable>
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
