// Evaluations, datasets and experiments.
import { Layer } from "effect"
import * as Feature from "../Feature.ts"
import { DatasetStore } from "./datasets/DatasetStore.ts"
import { Datasets as DatasetsEndpoints } from "./DatasetsApi.ts"
import { EvalRuns as EvalRunsEndpoints } from "./EvalRunsApi.ts"
import { EvalRunStore } from "./EvalRunStore.ts"
import { ExperimentStore } from "./experiments/ExperimentStore.ts"
import { Experiments as ExperimentsEndpoints } from "./ExperimentsApi.ts"
import * as ExpiredEvaluations from "./ExpiredEvaluations.ts"
import { evaluation as migrations } from "./migrations.ts"
import * as SqlDatasetStore from "./SqlDatasetStore.ts"
import * as SqlEvalRunStore from "./SqlEvalRunStore.ts"
import * as SqlExperimentStore from "./SqlExperimentStore.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly evalRuns: typeof EvalRunStore
    readonly datasets: typeof DatasetStore
    readonly experiments: typeof ExperimentStore
  }
}

export const evaluation = Feature.make({
  name: "evaluation",
  groups: [EvalRunsEndpoints, DatasetsEndpoints, ExperimentsEndpoints],
  stores: {
    services: { evalRuns: EvalRunStore, datasets: DatasetStore, experiments: ExperimentStore },
    layer: Layer.mergeAll(SqlEvalRunStore.layer, SqlDatasetStore.layer, SqlExperimentStore.layer)
  },
  migrations,
  expiry: { evaluations: { prune: ExpiredEvaluations.make } }
})
