// What the feature does in a service that has it.
import { isActiveIn, ServiceAccountStore } from "@svc-runtime/auth"
import * as ProcessGauges from "@svc-runtime/http/process/ProcessGauges"
import { Effect, Layer } from "effect"
import * as Feature from "../Feature.ts"
import { Datasets } from "./DatasetsHandlers.ts"
import * as DeclaredDatasets from "./DeclaredDatasets.ts"
import { EvalRuns } from "./EvalRunsHandlers.ts"
import { EvaluationDatabases } from "./EvaluationDatabases.ts"
import * as EvaluationJob from "./EvaluationJob.ts"
import { EvaluationLimits, type Limits } from "./EvaluationLimits.ts"
import * as EvaluatorAccount from "./EvaluatorAccount.ts"
import * as ExperimentJob from "./experiments/ExperimentJob.ts"
import { Experiments } from "./ExperimentsHandlers.ts"
import * as ExpiredEvaluations from "./ExpiredEvaluations.ts"
import * as OnlineScoringJob from "./OnlineScoringJob.ts"
import * as SqlDatasetStore from "./SqlDatasetStore.ts"
import * as SqlEvalRunStore from "./SqlEvalRunStore.ts"
import * as SqlExperimentStore from "./SqlExperimentStore.ts"
import { UsedMemory } from "./types/Performance.ts"

/** Tells evaluations whether the service account that has made them is active. Other callers have no account. */
const accounts = Layer.effect(
  EvaluatorAccount.EvaluatorAccount,
  ServiceAccountStore.useSync(isActiveIn)
)

export const live = Feature.live({
  handlers: Layer.mergeAll(EvalRuns, Datasets, Experiments),
  service: (limits: Limits) =>
    Layer.mergeAll(
      EvaluationDatabases.layer,
      Layer.succeed(EvaluationLimits, limits),
      accounts,
      Layer.succeed(UsedMemory, ProcessGauges.usedMemory)
    ),
  // lets evaluations in any database run components of this one, also while the service stops
  engines: (_, { id }) => EvaluationDatabases.layerDatabase(id),
  jobs: (_, { own }) =>
    Effect.gen(function*() {
      return [
        ...yield* EvaluationJob.kinds(own),
        yield* ExperimentJob.kind(own),
        yield* ExpiredEvaluations.kind,
        ...yield* OnlineScoringJob.kinds
      ]
    }),
  stores: Layer.mergeAll(SqlEvalRunStore.layer, SqlDatasetStore.layer, SqlExperimentStore.layer),
  declares: (_, { datasets = [] }) => DeclaredDatasets.kind(datasets),
  endsWithAccount: () => EvaluatorAccount.endsWithAccount,
  expiry: {
    evaluations: {
      prune: ExpiredEvaluations.make,
      age: ({ retention }) => retention,
      removed: "evaluation(s) and result(s) of experiments removed"
    }
  }
})
