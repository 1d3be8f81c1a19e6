// Where experiments are kept. The result of each item is stored when its run has ended, so that an experiment which is
// resumed repeats none.
import type * as Component from "@svc-runtime/domain/Component"
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Job from "@svc-runtime/engine/jobs/Job"
import type { ResponseTooLarge } from "@svc-runtime/engine/limits/ResponseLimit"
import { Context, type Effect, type Option } from "effect"
import type * as Dataset from "../Dataset.ts"
import type { FailedUser, Orphaned } from "../EvalRunStore.ts"
import type * as Experiment from "../Experiment.ts"

export interface ExperimentFilter {
  readonly owner: Owner.Owner
  readonly dataset_id?: string | undefined
}

export interface ExperimentPage {
  readonly experiments: ReadonlyArray<Experiment.Stored>
  readonly total: number
}

export interface ItemPage {
  readonly items: ReadonlyArray<Experiment.Item>
  readonly total: number
}

export interface End extends Pick<Experiment.Stored, "error" | "summary" | "updated_at"> {
  readonly status: "COMPLETED" | "FAILED" | "CANCELLED"
}

/** An experiment, with the versions in which its stored component is executed. */
export interface BegunExperiment {
  readonly experiment: Experiment.Stored
  readonly component_versions?: Component.Versions | undefined
}

/** The items of two experiments side by side: how many there are of each kind, and a page with regressions first. */
export interface Comparison {
  readonly counts: Experiment.ComparisonCounts
  readonly differences: ReadonlyArray<Experiment.Difference>
}

export class ExperimentStore extends Context.Service<ExperimentStore, {
  /**
   * With its job. False, and nothing is stored, if as many experiments as the limit have not ended, or as many of its
   * user as their share. True, and nothing changes, if it is stored already: the reply to an earlier call was lost.
   */
  readonly create: (
    begun: BegunExperiment,
    job: Job.NewJob,
    limit: number
  ) => Effect.Effect<boolean, StorageUnavailable>
  readonly find: (
    id: Experiment.Id,
    owner: Owner.Owner
  ) => Effect.Effect<Option.Option<Experiment.Stored>, StorageUnavailable>
  /** Newest first. */
  readonly list: (
    filter: ExperimentFilter,
    page: Pagination.Request
  ) => Effect.Effect<ExperimentPage, StorageUnavailable>
  readonly remove: (id: Experiment.Id, owner: Owner.Owner) => Effect.Effect<boolean, StorageUnavailable>
  /** Makes it `RUNNING`. None if it has ended, or was removed. */
  readonly begin: (id: Experiment.Id) => Effect.Effect<Option.Option<BegunExperiment>, StorageUnavailable>
  /** The first result of an item counts. False if the experiment has ended, or was removed. */
  readonly record: (
    id: Experiment.Id,
    place: number,
    item: Experiment.Item
  ) => Effect.Effect<boolean, StorageUnavailable>
  /** The items with a result. */
  readonly recorded: (id: Experiment.Id) => Effect.Effect<ReadonlySet<Dataset.ItemId>, StorageUnavailable>
  /** Of its results so far. */
  readonly summary: (id: Experiment.Id) => Effect.Effect<Experiment.Summary, StorageUnavailable>
  readonly compare: (
    base: Experiment.Id,
    other: Experiment.Id,
    page: Pagination.Request
  ) => Effect.Effect<Comparison, StorageUnavailable>
  /** In the order of the dataset. `item`: only the result of this one. */
  readonly items: (
    id: Experiment.Id,
    page: Pagination.Request,
    item?: Dataset.ItemId
  ) => Effect.Effect<ItemPage, ResponseTooLarge | StorageUnavailable>
  /** False if it had ended. */
  readonly finish: (id: Experiment.Id, end: End) => Effect.Effect<boolean, StorageUnavailable>
  /** Ends the unfinished experiments of a user as `FAILED`, and counts them. */
  readonly failAll: (failed: FailedUser) => Effect.Effect<number, StorageUnavailable>
  /** Ends experiments without a job as `FAILED`, some at a time, and counts them. */
  readonly failOrphaned: (orphaned: Orphaned) => Effect.Effect<number, StorageUnavailable>
}>()("@svc-runtime/features/evaluation/experiments/ExperimentStore") {}
