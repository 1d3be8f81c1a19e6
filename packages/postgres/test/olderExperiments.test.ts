// Results and summaries of experiments that an older version stored.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { DatasetStore } from "@svc-runtime/features/evaluation/datasets/DatasetStore"
import { ExperimentStore } from "@svc-runtime/features/evaluation/experiments/ExperimentStore"
import * as Summary from "@svc-runtime/features/evaluation/experiments/Summary"
import { dataset } from "@svc-runtime/features/evaluation/test/DatasetStoreSuite"
import { experiment, experimentItem, jobOfExperiment } from "@svc-runtime/features/evaluation/test/SampleExperiments"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"

const stores = SqlStores.layer.pipe(Layer.provideMerge(PgliteLayer.layer))

layer(stores, { excludeTestServices: true })("An experiment of an older version", (it) => {
  it.effect("results and a summary without a number of unpriced tokens have null", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const [store, source] = [yield* ExperimentStore, dataset()]
      yield* Effect.flatMap(DatasetStore, (datasets) => datasets.create(source))
      const stored = experiment(source.id)
      yield* store.create({ experiment: stored }, jobOfExperiment(stored), 10)
      const item = experimentItem("a", { scores: [] })
      yield* store.record(stored.id, 0, item)
      yield* sql`
        update svc_experiment_items set body = (body::jsonb - 'unpriced_tokens')::json,
          figures = (figures::jsonb - 'unpriced_tokens')::json`
      const summary = yield* store.summary(stored.id)
      assert.isNull(summary.unpriced_tokens)
      yield* store.finish(stored.id, {
        status: "COMPLETED",
        error: null,
        summary: Summary.of([item]),
        updated_at: 1_000
      })
      yield* sql`update svc_experiments set summary = (summary::jsonb - 'unpriced_tokens')::json`
      const { items } = yield* store.items(stored.id, { page: 1, limit: 10 })
      assert.isNull(items[0]?.unpriced_tokens)
      const found = Option.getOrThrow(yield* store.find(stored.id, Owner.anyone))
      assert.deepStrictEqual(found.summary, { ...Summary.of([item]), unpriced_tokens: null })
    }))
})
