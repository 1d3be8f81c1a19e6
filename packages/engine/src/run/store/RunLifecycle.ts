// The port of a run's life: it is accepted, has its turn in its session, is resumed and ends. A run is accepted by
// `create` and shown as ended after `finish`. Each is one transaction, and neither reads earlier runs of the session
// except for the requested history.
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Time from "@svc-runtime/domain/Time"
import { Context, type Effect, type Option } from "effect"
import type { SettingAside } from "../../node/LeasedRuns.ts"
import type { SessionNotFound } from "../../session/SessionStore.ts"
import type { ComponentOutdated, LimitReached, RunExists, RunNotFound, SessionBusy } from "../RunErrors.ts"
import type {
  Accepted,
  DequeuedRun,
  Finished,
  Forked,
  Forking,
  NewRun,
  QueuePoll,
  Resumption,
  RunCompletion
} from "./RunWrites.ts"

/** Why a run is not accepted. */
export type CreateError =
  | ComponentOutdated
  | LimitReached
  | SessionNotFound
  | SessionBusy
  | RunExists
  | RunNotFound
  | StorageUnavailable

export class RunLifecycle extends Context.Service<RunLifecycle, {
  /**
   * Stores the run as RUNNING, or as PENDING if it is serialized and earlier runs of its session have not ended. With
   * `if_busy=interrupt`, requests cancellation of those. Creates the session if there is none.
   *
   * A session of another user or of another component is not found. A session without an owner belongs to the first
   * user who runs in it; an isolated user does not find it. The session's `updated_at` changes only if the run changes
   * fields of the session.
   *
   * The run becomes the leaf of its session. Its parent is the leaf before, or what its `place` names.
   */
  readonly create: (
    newRun: NewRun
  ) => Effect.Effect<Accepted, CreateError>
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
   * Acquires the lease of a paused or failed run, which becomes RUNNING. Returns the new attempt, or none if another
   * node was faster.
   */
  readonly resume: (
    resumption: Resumption
  ) => Effect.Effect<Option.Option<number>, LimitReached | StorageUnavailable>
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
   * Ends a run as ERROR without reading it. Its stored data is kept, and is used if the run is continued. Returns
   * false if the run is no longer held.
   */
  readonly setAside: (aside: SettingAside) => Effect.Effect<boolean, StorageUnavailable>
  /**
   * Marks a run as REGENERATED, because another one replaces it. It stays readable and is left out of later history.
   * Cancels the pending approvals of the run and of its member runs.
   */
  readonly supersede: (run: Run.Id, at: Time.EpochSeconds) => Effect.Effect<void, StorageUnavailable>
  /**
   * Copies a session that the caller may see, with all of its runs that are not executing, under new ids. Each copied
   * run names the session of the first original. None, and nothing is created, if there is no such run.
   */
  readonly fork: (forking: Forking) => Effect.Effect<Option.Option<Forked>, StorageUnavailable>
}>()("@svc-runtime/engine/run/store/RunLifecycle") {}
