// The port through which stored runs are read and found.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, type Effect, type Option } from "effect"
import type { ResponseTooLarge } from "../../limits/ResponseLimit.ts"
import type {
  FoundRuns,
  ListedRuns,
  PlacedRun,
  RunFilter,
  RunKey,
  RunListFilter,
  RunSearch,
  RunSnapshot
} from "./RunReads.ts"

export class RunReading extends Context.Service<RunReading, {
  /** A run with its messages and its events, without the events that are pieces of the answer. */
  readonly find: (
    session: Session.Id,
    run: Run.Id,
    filter: RunFilter
  ) => Effect.Effect<Option.Option<AnyRun.Output>, StorageUnavailable>
  /**
   * Runs in any sessions without their messages and their events, except the last event of a failed run: the first ones
   * that fit into one response. Leaves out runs that are not found, or that cannot be read.
   */
  readonly outlines: (
    runs: ReadonlyArray<RunKey>,
    filter: Pick<RunFilter, "owner">
  ) => Effect.Effect<ReadonlyArray<AnyRun.Output>, StorageUnavailable>
  /**
   * A run that the caller may see, with its journal. Does not change the run. `damage` is set if a run that can be
   * continued cannot be read completely.
   */
  readonly snapshot: (
    session: Session.Id,
    run: Run.Id,
    filter: RunFilter
  ) => Effect.Effect<Option.Option<RunSnapshot>, StorageUnavailable>
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
  /** Where root runs of a session are in its tree, in the order of acceptance. Leaves out other runs. */
  readonly places: (
    session: Session.Id,
    runs: ReadonlyArray<Run.Id>
  ) => Effect.Effect<ReadonlyArray<PlacedRun>, StorageUnavailable>
  /** Finds root runs of a component, and reads them if `isReading` is set. */
  readonly search: (search: RunSearch) => Effect.Effect<FoundRuns, StorageUnavailable>
  /** Root runs of all sessions without their contents, the newest first. */
  readonly listAll: (filter: RunListFilter, page: Pagination.Request) => Effect.Effect<ListedRuns, StorageUnavailable>
  /**
   * Runs of the sessions that are pending or running and have no cancel request, at most `limit`. After a cancel
   * request for each of them, the next call returns others.
   */
  readonly unfinished: (
    sessions: ReadonlyArray<Session.Id>,
    owner: Owner.Owner,
    limit: number
  ) => Effect.Effect<ReadonlyArray<RunKey>, StorageUnavailable>
}>()("@svc-runtime/engine/run/store/RunReading") {}
