// Evaluations, datasets and experiments.
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as DeclaredOption from "../declarations/DeclaredOption.ts"
import * as Feature from "../Feature.ts"
import { DatasetStore } from "./datasets/DatasetStore.ts"
import { Datasets as DatasetsEndpoints } from "./DatasetsApi.ts"
import type * as DeclaredDatasets from "./DeclaredDatasets.ts"
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

declare module "@svc-runtime/features/declarations/DeclaredOption" {
  interface Declarable {
    /** Items to evaluate components with. */
    readonly datasets?: ReadonlyArray<DeclaredDatasets.Declaration> | undefined
  }
}

const item: AuthorOptions.Kinds<keyof DeclaredDatasets.ItemDeclaration> = {
  id: "text",
  input: "any",
  expectedOutput: "any",
  expectedToolCalls: "list",
  metadata: "object"
}

const declared = DeclaredOption.make("datasets", {
  label: "The dataset",
  kinds: { name: "text", description: "text", items: "list" },
  check: (owner, { items }) => {
    if (items === undefined) throw new Mistake(`${owner} has no items. Give it a list, such as [{ input: "1 + 1" }]`)
    for (const [index, each] of items.entries()) AuthorOptions.check(`${owner}: items[${index}]`, each, item)
  }
})

export const evaluation = Feature.make({
  name: "evaluation",
  groups: [EvalRunsEndpoints, DatasetsEndpoints, ExperimentsEndpoints],
  settings: evaluationSettings,
  declared,
  stores: { evalRuns: EvalRunStore, datasets: DatasetStore, experiments: ExperimentStore },
  migrations,
  load: () => import("./live.ts")
})
