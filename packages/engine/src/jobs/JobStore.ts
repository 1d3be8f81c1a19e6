// Where jobs are stored. A job is executed under a lease, as a run is: a write under an old lease changes nothing.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, type Effect, type Option } from "effect"
import type { Deaths } from "../node/LeasedRuns.ts"
import type * as Job from "./Job.ts"

export interface JobFilter {
  readonly owner: Owner.Owner
  readonly kind?: string | undefined
  readonly key?: string | undefined
  readonly status?: Job.Status | undefined
}

export interface JobPage {
  readonly jobs: ReadonlyArray<Job.Summary>
  readonly total: number
}

export interface Enqueued {
  readonly id: Job.Id
  /** False: a job that has not started is used instead of it. */
  readonly isNew: boolean
}

export interface Acquisition {
  readonly node: string
  /** How many jobs of each kind the node can execute. */
  readonly slots: Readonly<Record<string, number>>
  /** Kinds and callers of which the node executes as many jobs as it may: their other jobs wait. */
  readonly busy?: ReadonlyArray<Busy> | undefined
}

export interface Busy {
  readonly kind: string
  readonly caller: string
}

export interface JobTakeover extends Deaths {
  readonly node: string
  /** The jobs that the node executes. Others under its name are without a holder. */
  readonly executing: ReadonlyArray<Job.Id>
}

export interface HeldJob extends Job.Lease {
  /** Undefined: as before. */
  readonly progress: Json.Value | undefined
}

export interface HeldState {
  readonly id: Job.Id
  readonly isCancelRequested: boolean
}

export class JobStore extends Context.Service<JobStore, {
  /** Uses the transaction of the caller, if any: the job is stored exactly if the rest is. */
  readonly enqueue: (job: Job.NewJob) => Effect.Effect<Enqueued, StorageUnavailable>
  /** Stores a unique job if none of its kind and key waits or is executed. True: it was stored. */
  readonly enqueueMissing: (job: Job.NewJob) => Effect.Effect<boolean, StorageUnavailable>
  /** The same if none waits: one that is executed can have read its data before they changed. */
  readonly enqueueNext: (job: Job.NewJob) => Effect.Effect<boolean, StorageUnavailable>
  /** Makes the jobs of a kind and key that wait due now. */
  readonly hasten: (kind: string, key: string) => Effect.Effect<void, StorageUnavailable>
  /** How many jobs of each kind wait for a node, up to `limit`. */
  readonly countDue: (
    kinds: ReadonlyArray<string>,
    limit: number
  ) => Effect.Effect<ReadonlyMap<string, number>, StorageUnavailable>
  /** How many jobs of a caller wait for a node or for their time, up to `limit`. */
  readonly countWaiting: (
    kinds: ReadonlyArray<string>,
    caller: string,
    limit: number
  ) => Effect.Effect<number, StorageUnavailable>
  readonly find: (id: Job.Id, owner: Owner.Owner) => Effect.Effect<Option.Option<Job.Job>, StorageUnavailable>
  /** Newest first. */
  readonly list: (filter: JobFilter, page: Pagination.Request) => Effect.Effect<JobPage, StorageUnavailable>
  /** Ends a waiting job, or requests the cancellation of an executing one. Returns the job after that. */
  readonly cancel: (id: Job.Id, owner: Owner.Owner) => Effect.Effect<Option.Option<Job.Job>, StorageUnavailable>
  /**
   * Gives due jobs to a node, the keys of a kind in turn. A job that cannot be read is stored as `FAILED` instead.
   */
  readonly acquire: (acquisition: Acquisition) => Effect.Effect<ReadonlyArray<Job.Acquired>, StorageUnavailable>
  /** Makes jobs of dead nodes pending again, and returns their number. */
  readonly takeOver: (takeOver: JobTakeover) => Effect.Effect<number, StorageUnavailable>
  /** Stores progress. Returns the jobs whose leases are still held. */
  readonly sync: (held: ReadonlyArray<HeldJob>) => Effect.Effect<ReadonlyArray<HeldState>, StorageUnavailable>
  /** The attempt has stored a part of its work: it does not count, and neither do those before it. */
  readonly progressed: (lease: Job.Lease) => Effect.Effect<void, StorageUnavailable>
  /** Whether the lease was still held: otherwise nothing is stored. */
  readonly finish: (lease: Job.Lease, end: Job.End) => Effect.Effect<boolean, StorageUnavailable>
  /** Removes the jobs of a user, or those of some kinds. An attempt that is in progress loses its lease. */
  readonly removeOf: (
    user_id: Ids.UserId,
    kinds?: ReadonlyArray<string>
  ) => Effect.Effect<number, StorageUnavailable>
}>()("@svc-runtime/engine/jobs/JobStore") {}
