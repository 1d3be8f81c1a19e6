// Stores runs, with their messages and events in the order of acceptance. A run is accepted by `create` and shown as
// ended after `finish`. Each is one transaction, and neither reads earlier runs of the session except for the requested
// history. The journal has the steps of a run between the two.
//
// A run is executed under the number of its lease, its `attempt`. A takeover raises the number, and writes
// under an old one are refused: a node that was only slow cannot write into a run that another node has resumed.
import { MemoryDatabase } from "@svc-runtime/agents/inMemory/MemoryDatabase"
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Message from "@svc-runtime/domain/Message"
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as TeamRun from "@svc-runtime/domain/TeamRun"
import type * as Time from "@svc-runtime/domain/Time"
import { Context, Effect, Layer, type Option } from "effect"
import { ResponseLimit } from "../../limits/ResponseLimit.ts"
import type { ResponseTooLarge } from "../../limits/ResponseLimit.ts"
import type {
  Acquired,
  KnownNode,
  Lease,
  NodeRuns,
  Postponement,
  Presence,
  SettingAside,
  Takeover
} from "../../node/LeasedRuns.ts"
import type { SessionNotFound } from "../../session/SessionErrors.ts"
import { HistoryLimit } from "../HistoryLimit.ts"
import * as MemoryRuns from "../inMemory/MemoryRuns.ts"
import type { ComponentOutdated, LimitReached, RunExists, RunUnreadable, SessionBusy } from "../RunErrors.ts"
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
  DequeuedRun,
  EventBatch,
  Finished,
  Forking,
  JournalWrite,
  NewRun,
  QueuePoll,
  Resumption,
  RunCompletion
} from "./RunWrites.ts"

export class RunStore extends Context.Service<RunStore, {
  /**
   * Stores the run as RUNNING, or as PENDING if it is serialized and earlier runs of its session have not ended. With
   * `if_busy=interrupt`, requests cancellation of those. Creates the session if there is none.
   *
   * A session of another user or of another component is not found. A session without an owner belongs to the first
   * user who runs in it; an isolated user does not find it. The session's `updated_at` changes only if the run changes
   * fields of the session.
   */
  readonly create: (
    newRun: NewRun
  ) => Effect.Effect<
    Accepted,
    ComponentOutdated | LimitReached | SessionNotFound | SessionBusy | RunExists | StorageUnavailable
  >
  /**
   * Dequeues the first queued run of each session, if this node holds it and no run before it is executing. Returns
   * the runs with the session state and history with which they start. Also returns those of the `uncertain` runs that
   * were dequeued before. A run that cannot be read is postponed, so that the node that acquires it sets it aside.
   */
  readonly dequeue: (turns: QueuePoll) => Effect.Effect<ReadonlyArray<DequeuedRun>, StorageUnavailable>
  /**
   * Queues the runs of a node that wait for room, as far as they fit into their limits now. They count as unfinished
   * from then on. Returns their sessions.
   */
  readonly admitWaiting: (node: string) => Effect.Effect<ReadonlyArray<Session.Id>, StorageUnavailable>
  /**
   * Stores the end or the pause of a run. An end adds the usage of the run to the session. The journal is kept if the
   * run can be continued. Returns false if the lease is held under another attempt.
   *
   * It can be repeated if it is unknown whether the statement was executed: it changes no run that has ended, and
   * creates no session that was deleted.
   */
  readonly finish: (ending: RunCompletion) => Effect.Effect<boolean, StorageUnavailable>
  /**
   * `finish` for a serialized run of this node with runs queued behind it, which dequeues the next one too. Dequeues
   * nothing if that would wait for a lock, or if the end was stored before.
   */
  readonly finishAndDequeue: (ending: RunCompletion, node: string) => Effect.Effect<Finished, StorageUnavailable>
  /**
   * Stores the member runs of a root run, each in its present state. Only the root run is resumed, with its members.
   * Stores nothing if the lease of the root run is lost, or if it has ended.
   */
  readonly recordMembers: (
    outer: Lease,
    runs: ReadonlyArray<TeamRun.MemberResponse>
  ) => Effect.Effect<void, StorageUnavailable>
  /**
   * Messages of the member's last completed runs in this session, oldest first, only of runs accepted before this one.
   * They have the form of `StartSnapshot.history`.
   */
  readonly memberHistory: (
    recall: MemberHistoryQuery
  ) => Effect.Effect<ReadonlyArray<Message.Message>, StorageUnavailable>
  /**
   * Stores a finished step with the events up to it. Returns false if the lease is lost, or if the run has ended.
   */
  readonly record: (recorded: JournalWrite) => Effect.Effect<boolean, StorageUnavailable>
  /**
   * A run that the caller may see, with its journal. Does not change the run. `damage` is set if a run that can be
   * continued cannot be read completely.
   */
  readonly snapshot: (
    session: Session.Id,
    run: Run.Id,
    filter: RunFilter
  ) => Effect.Effect<Option.Option<RunSnapshot>, StorageUnavailable>
  /**
   * Acquires the lease of a paused or failed run, which becomes RUNNING. Returns the new attempt, or none if another
   * node was faster.
   */
  readonly resume: (
    resumption: Resumption
  ) => Effect.Effect<Option.Option<number>, LimitReached | StorageUnavailable>
  /**
   * Acquires the leases of unfinished runs that no node executes: runs of dead nodes, released runs, and, if
   * `isStarting`, runs of the node itself. Leaves runs that the node cannot execute to other nodes.
   */
  readonly takeOver: (takeover: Takeover) => Effect.Effect<ReadonlyArray<Acquired>, StorageUnavailable>
  /** Reads a run that this node holds. None if it is no longer held under this attempt. */
  readonly load: (held: Lease) => Effect.Effect<Option.Option<RunSnapshot>, RunUnreadable | StorageUnavailable>
  /** Releases a run for some seconds: any node acquires it after them. Changes nothing if it is no longer held. */
  readonly postpone: (postponement: Postponement) => Effect.Effect<void, StorageUnavailable>
  /**
   * Ends a run as ERROR without reading it. Its stored data is kept, and is used if the run is continued. Returns
   * false if the run is no longer held.
   */
  readonly setAside: (aside: SettingAside) => Effect.Effect<boolean, StorageUnavailable>
  /**
   * Marks a run as REGENERATED, because another one replaces it. It stays readable and is left out of later history.
   * Cancels the pending approvals of the run and of its member runs.
   */
  readonly supersede: (run: Run.Id, at: Time.EpochSeconds) => Effect.Effect<void, StorageUnavailable>
  /** Stores the heartbeat of a node. The first one also stores the description of the node. */
  readonly heartbeat: (presence: Presence) => Effect.Effect<void, StorageUnavailable>
  /** The nodes with a heartbeat that have not handed over. */
  readonly nodes: Effect.Effect<ReadonlyArray<KnownNode>, StorageUnavailable>
  /** The number of unfinished runs of each node. At most `maxCountedRuns` are counted in all. */
  readonly nodeRuns: Effect.Effect<ReadonlyArray<NodeRuns>, StorageUnavailable>
  /** Releases the leases of a node, so that any node can acquire its runs at once. */
  readonly release: (node: string) => Effect.Effect<void, StorageUnavailable>
  /**
   * Copies a session that the caller may see, with all of its runs that are not executing, under new ids. Each copied
   * run names the session of the first original. Returns false and creates nothing if there is no such run.
   */
  readonly fork: (forking: Forking) => Effect.Effect<boolean, StorageUnavailable>
  /** A run with its messages and its events, without the events that are pieces of the answer. */
  readonly find: (
    session: Session.Id,
    run: Run.Id,
    filter: RunFilter
  ) => Effect.Effect<Option.Option<AnyRun.Output>, StorageUnavailable>
  /** The attempt under which a run is or was executed last. None if there is no such run. */
  readonly attemptOf: (
    session: Session.Id,
    run: Run.Id
  ) => Effect.Effect<Option.Option<number>, StorageUnavailable>
  /**
   * Runs of a session in the order of acceptance, each with its member runs. None if there is no such session. The
   * first page has the newest runs; without a page, all are returned. Statuses are compared exactly.
   */
  readonly list: (
    session: Session.Id,
    filter: RunFilter,
    page?: Pagination.Request
  ) => Effect.Effect<Option.Option<ReadonlyArray<AnyRun.Output>>, StorageUnavailable | ResponseTooLarge>
  /** Finds root runs of a component, and reads them if `isReading` is set. */
  readonly search: (search: RunSearch) => Effect.Effect<FoundRuns, StorageUnavailable>
  /** Root runs of all sessions without their contents, the newest first. */
  readonly listAll: (filter: RunListFilter, page: Pagination.Request) => Effect.Effect<ListedRuns, StorageUnavailable>
  /**
   * Stores events of executing runs. Returns the leases that are still held: of a run with two attempts, at most the
   * later one. Skips events that are stored already.
   */
  readonly appendEvents: (
    batches: ReadonlyArray<EventBatch>
  ) => Effect.Effect<ReadonlyArray<Lease>, StorageUnavailable>
  /** Events of a run, and its status. None if there is no such run. */
  readonly readEvents: (
    session: Session.Id | undefined,
    run: Run.Id,
    filter: RunFilter,
    range: EventRange
  ) => Effect.Effect<Option.Option<ReadEvents>, StorageUnavailable>
  /** New events of many runs, at most `limit` of each. Leaves out runs that do not exist. */
  readonly pollEvents: (
    polled: ReadonlyArray<PolledRun>,
    limit: number
  ) => Effect.Effect<ReadonlyArray<PolledEvents>, StorageUnavailable>
  /**
   * Requests cancellation of an unfinished run. Its node polls for requests with `cancelRequested`. Returns the status
   * of the run at that moment, or none if there is no such run.
   */
  readonly requestCancel: (
    run: Run.Id,
    session: Session.Id | undefined,
    filter: RunFilter
  ) => Effect.Effect<Option.Option<CancelRequested>, StorageUnavailable>
  /**
   * Runs of the sessions that are pending or running and have no cancel request, at most `limit`. After a cancel
   * request for each of them, the next call returns others.
   */
  readonly unfinished: (
    sessions: ReadonlyArray<Session.Id>,
    owner: Owner.Owner,
    limit: number
  ) => Effect.Effect<ReadonlyArray<UnfinishedRun>, StorageUnavailable>
  /** The runs of a node that have a cancel request. */
  readonly cancelRequested: (node: string) => Effect.Effect<ReadonlyArray<Run.Id>, StorageUnavailable>
}>()("@svc-runtime/engine/run/store/RunStore") {
  static readonly layerMemory: Layer.Layer<RunStore, never, MemoryDatabase> = Layer.effect(
    RunStore,
    Effect.gen(function*() {
      return RunStore.of(
        MemoryRuns.make(yield* MemoryDatabase, { history: yield* HistoryLimit, answer: yield* ResponseLimit })
      )
    })
  )
}
