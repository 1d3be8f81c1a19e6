// How the in-memory layers keep evaluation runs, datasets and experiments.
import type * as Json from "@svc-runtime/domain/Json"
import type * as Dataset from "@svc-runtime/features/evaluation/Dataset"
import type * as EvalRun from "@svc-runtime/features/evaluation/EvalRun"
import type * as Experiment from "@svc-runtime/features/evaluation/Experiment"
import type { BegunExperiment } from "@svc-runtime/features/evaluation/experiments/ExperimentStore"

export interface StoredEvalRun {
  readonly sequence: number
  readonly evalRun: EvalRun.Stored
  /** Of the runs that have ended, by their places. Empty when the evaluation has ended. */
  readonly results: ReadonlyMap<number, Json.Object>
}

/** In the versions from `from` until before `until`. */
export interface StoredDatasetItem {
  readonly id: Dataset.ItemId
  readonly place: number
  readonly from: number
  readonly until: number | undefined
  readonly content: Dataset.Content
}

export interface StoredDataset {
  readonly sequence: number
  readonly dataset: Dataset.Stored
  readonly items: ReadonlyArray<StoredDatasetItem>
  /** Of its items. */
  readonly lastPlace: number
}

export interface StoredExperiment extends BegunExperiment {
  readonly sequence: number
  /** Of the items that have ended, by their places. */
  readonly items: Map<number, Experiment.Item>
}
