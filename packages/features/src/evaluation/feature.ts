// Evaluations, datasets and experiments.
import * as ProcessGauges from "@svc-runtime/http/process/ProcessGauges"
import { Effect, Layer } from "effect"
import * as Feature from "../Feature.ts"
import { DatasetStore } from "./datasets/DatasetStore.ts"
import { Datasets as DatasetsEndpoints } from "./DatasetsApi.ts"
import { Datasets } from "./DatasetsHandlers.ts"
import { EvalRuns as EvalRunsEndpoints } from "./EvalRunsApi.ts"
import { EvalRuns } from "./EvalRunsHandlers.ts"
import { EvalRunStore } from "./EvalRunStore.ts"
import { EvaluationDatabases } from "./EvaluationDatabases.ts"
import * as EvaluationJob from "./EvaluationJob.ts"
import { EvaluationLimits, evaluationSettings } from "./EvaluationLimits.ts"
import * as EvaluatorAccounts from "./EvaluatorAccounts.ts"
import * as ExperimentJob from "./experiments/ExperimentJob.ts"
import { ExperimentStore } from "./experiments/ExperimentStore.ts"
import { Experiments as ExperimentsEndpoints } from "./ExperimentsApi.ts"
import { Experiments } from "./ExperimentsHandlers.ts"
import * as ExpiredEvaluations from "./ExpiredEvaluations.ts"
import { kind } from "./ExpiredEvaluations.ts"
import { evaluation as migrations } from "./migrations.ts"
import * as OnlineScoringJob from "./OnlineScoringJob.ts"
import * as SqlDatasetStore from "./SqlDatasetStore.ts"
import * as SqlEvalRunStore from "./SqlEvalRunStore.ts"
import * as SqlExperimentStore from "./SqlExperimentStore.ts"
import { UsedMemory } from "./types/Performance.ts"

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
  handlers: Layer.mergeAll(EvalRuns, Datasets, Experiments),
  settings: evaluationSettings,
  service: (limits: EvaluationLimits) =>
    Layer.mergeAll(
      EvaluationDatabases.layer,
      Layer.succeed(EvaluationLimits, limits),
      EvaluatorAccounts.layer,
      Layer.succeed(UsedMemory, ProcessGauges.usedMemory)
    ),
  // lets evaluations in any database run components of this one, also while the service stops
  engines: (_, { id }) => EvaluationDatabases.layerDatabase(id),
  jobs: (_, { own }) =>
    Effect.gen(function*() {
      return [
        ...yield* EvaluationJob.kinds(own),
        yield* ExperimentJob.kind(own),
        yield* kind,
        ...yield* OnlineScoringJob.kinds
      ]
    }),
  stores: {
    services: { evalRuns: EvalRunStore, datasets: DatasetStore, experiments: ExperimentStore },
    layer: Layer.mergeAll(SqlEvalRunStore.layer, SqlDatasetStore.layer, SqlExperimentStore.layer)
  },
  migrations,
  expiry: {
    evaluations: {
      prune: ExpiredEvaluations.make,
      age: ({ evaluations }) => evaluations,
      removed: "evaluation(s) and result(s) of experiments removed"
    }
  }
})
