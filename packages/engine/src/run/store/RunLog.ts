// The port of what a run stores between its start and its end: the steps of its journal, its events, and its member
// runs.
import type * as Message from "@svc-runtime/domain/Message"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as TeamRun from "@svc-runtime/domain/TeamRun"
import { Context, type Effect, type Option } from "effect"
import type { Lease } from "../../node/LeasedRuns.ts"
import type { EventRange, MemberHistoryQuery, PolledEvents, PolledRun, ReadEvents, RunFilter } from "./RunReads.ts"
import type { EventBatch, JournalWrite } from "./RunWrites.ts"

export class RunLog extends Context.Service<RunLog, {
  /**
   * Stores a finished step with the events up to it. Returns false if the lease is lost, or if the run has ended.
   */
  readonly record: (recorded: JournalWrite) => Effect.Effect<boolean, StorageUnavailable>
  /**
   * Stores the member runs of a root run, each in its present state. Only the root run is resumed, with its members.
   * Stores nothing if the lease of the root run is lost, or if it has ended.
   */
  readonly recordMembers: (
    outer: Lease,
    runs: ReadonlyArray<TeamRun.MemberResponse>
  ) => Effect.Effect<void, StorageUnavailable>
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
   * Messages of the member's last completed runs in this session, oldest first, only of runs accepted before this one.
   * They have the form of `StartSnapshot.history`.
   */
  readonly memberHistory: (
    recall: MemberHistoryQuery
  ) => Effect.Effect<ReadonlyArray<Message.Message>, StorageUnavailable>
}>()("@svc-runtime/engine/run/store/RunLog") {}
