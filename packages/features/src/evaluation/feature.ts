// Evaluations, datasets and experiments.
import * as Feature from "../Feature.ts"
import { DatasetStore } from "./datasets/DatasetStore.ts"
import { Datasets as DatasetsEndpoints } from "./DatasetsApi.ts"
import { EvalRuns as EvalRunsEndpoints } from "./EvalRunsApi.ts"
import { EvalRunStore } from "./EvalRunStore.ts"
import { evaluationSettings } from "./EvaluationLimits.ts"
import { ExperimentStore } from "./experiments/ExperimentStore.ts"
import { Experiments as ExperimentsEndpoints } from "./ExperimentsApi.ts"
import { evaluation as migrations } from "./migrations.ts"

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
  settings: evaluationSettings,
  stores: { evalRuns: EvalRunStore, datasets: DatasetStore, experiments: ExperimentStore },
  migrations,
  load: () => import("./live.ts")
})
