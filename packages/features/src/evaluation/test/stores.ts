// The stores of evaluation, for the tests that call all stores.
import * as Owner from "@svc-runtime/domain/Owner"
import type { CheckedStores } from "@svc-runtime/test-support/stores/CheckedStores"
import { userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Dataset from "../Dataset.ts"
import { DatasetStore } from "../datasets/DatasetStore.ts"
import { EvalRunStore } from "../EvalRunStore.ts"
import { ExperimentStore } from "../experiments/ExperimentStore.ts"
import * as DatasetStoreSuite from "./DatasetStoreSuite.ts"
import { completed, evalRun, jobOf } from "./SampleEvalRuns.ts"
import { experiment, experimentItem, jobOfExperiment } from "./SampleExperiments.ts"

/** One in a thousand has not ended. */
const fill = Effect.fnUntraced(function*(rows: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_eval_runs (
      id, eval_type, agent_id, team_id, eval_data, status, total, job_id, request, created_at, updated_at
    )
    select 'eval-' || number, 'accuracy', case number % 2 when 0 then 'agent-' || number % 100 end,
      case number % 2 when 1 then 'team-' || number % 100 end, '{}',
      case number % 1000 when 0 then 'RUNNING' else 'COMPLETED' end, 1, 'job-' || number, null, number, number
    from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_eval_results (eval_id, place, body)
    select 'eval-' || number, 0, '{}' from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_datasets (id, user_id, name, version, item_count, created_at, updated_at)
    select 'dataset-' || number, 'user-' || number % 100, 'name', 2, 1, 1, 1
    from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_dataset_items (dataset_id, id, from_version, place, body, bytes)
    select 'dataset-' || number, 'item', 2, 1, '{}', 2 from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_experiments (
      id, user_id, dataset_id, dataset_version, kind, component_id, scorers, concurrency, is_isolated, status, items_total,
      job_id, created_at, updated_at
    )
    select 'experiment-' || number, 'user-' || number % 100, 'dataset-' || number, 2, 'agent', 'a', '[]', 1, false,
      case number % 1000 when 0 then 'RUNNING' else 'COMPLETED' end, 1, 'job-' || number, 1, 1
    from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_experiment_items (experiment_id, place, item_id, status, score, figures, body, bytes)
    select 'experiment-' || number, 0, 'item', 'passed', 1, '{}', '{}', 2
    from generate_series(1, ${rows}::int) as number`
})

const newest = { by: "created_at", order: "desc" } as const

const calls = Effect.gen(function*() {
  const evalRuns = yield* EvalRunStore
  const [datasets, experiments] = [yield* DatasetStore, yield* ExperimentStore]
  const source = DatasetStoreSuite.dataset()
  const tried = experiment(source.id)
  const dataset = DatasetStoreSuite.dataset()
  const first = { page: 1, limit: 1 }
  const one = evalRun()
  const { id } = one
  return {
    "evalRuns.create": evalRuns.create(one, jobOf(one), 1_000),
    "evalRuns.find": evalRuns.find(id),
    "evalRuns.list, of an agent": evalRuns.list({ statuses: ["COMPLETED"], agent_id: "agent-2" }, first, newest),
    "evalRuns.rename": evalRuns.rename(id, "name", 1),
    "evalRuns.begin": evalRuns.begin(id),
    "evalRuns.record": evalRuns.record(id, 0, {}),
    "evalRuns.results": evalRuns.results(id),
    "evalRuns.finish": evalRuns.finish(id, completed),
    "evalRuns.failAll": evalRuns.failAll({ user_id: userId(), at: 9, error: "revoked" }),
    "evalRuns.failOrphaned": evalRuns.failOrphaned({ before: 9, error: "gone" }),
    "evalRuns.remove": evalRuns.remove([id]),
    "experiments.create": Effect.andThen(
      datasets.create(source),
      experiments.create({ experiment: tried }, jobOfExperiment(tried), 1_000)
    ),
    "experiments.find": experiments.find(tried.id, Owner.anyone),
    "experiments.list, of an owner": experiments.list({ owner: Owner.user(userId()) }, first),
    "experiments.list, of a dataset": experiments.list({ owner: Owner.anyone, dataset_id: "dataset-2" }, first),
    "experiments.begin": experiments.begin(tried.id),
    "experiments.record": experiments.record(tried.id, 0, experimentItem("a")),
    "experiments.recorded": experiments.recorded(tried.id),
    "experiments.summary": experiments.summary(tried.id),
    "experiments.compare": experiments.compare(tried.id, tried.id, first),
    "experiments.items": experiments.items(tried.id, first),
    "experiments.finish": experiments.finish(tried.id, {
      status: "COMPLETED",
      error: null,
      summary: null,
      updated_at: 1
    }),
    "experiments.failAll": experiments.failAll({ user_id: userId(), at: 9, error: "revoked" }),
    "experiments.failOrphaned": experiments.failOrphaned({ before: 9, error: "gone" }),
    "experiments.remove": experiments.remove(tried.id, Owner.anyone),
    "datasets.createWithin": datasets.createWithin(DatasetStoreSuite.dataset(), [], 9),
    "datasets.create": datasets.create(dataset),
    "datasets.find": datasets.find(dataset.id, Owner.anyone),
    "datasets.list, of an owner": datasets.list(Owner.user(userId()), first),
    "datasets.patch": datasets.patch(dataset.id, Owner.anyone, { name: "a", at: 1 }),
    "datasets.change": datasets.change(
      dataset.id,
      Owner.anyone,
      DatasetStoreSuite.change({ put: [DatasetStoreSuite.item("a")] })
    ),
    "datasets.items": datasets.items(Dataset.Id.make("dataset-1"), 2, first),
    "datasets.itemIds": datasets.itemIds(Dataset.Id.make("dataset-1"), 2),
    "datasets.itemsOf": datasets.itemsOf(Dataset.Id.make("dataset-1"), 2, [Dataset.ItemId.make("item")]),
    "datasets.remove": datasets.remove(dataset.id, Owner.anyone)
  }
})

export const stores: CheckedStores = {
  history: { evaluation: ["tables"] },
  tables: [
    "svc_dataset_items",
    "svc_datasets",
    "svc_eval_results",
    "svc_eval_runs",
    "svc_experiment_items",
    "svc_experiments"
  ],
  calls,
  ofOneRow: [
    "datasets.find",
    "datasets.patch",
    "datasets.change",
    "evalRuns.find",
    "evalRuns.results",
    "experiments.find",
    "experiments.begin",
    "evalRuns.begin",
    "evalRuns.rename"
  ],
  fill,
  unbounded: {
    "datasets.createWithin": "reads at most as many datasets as there may be (MAX_DATASETS)",
    "evalRuns.failAll": "reads the unfinished evaluations, of which there are at most MAX_EVALUATIONS"
  }
}
