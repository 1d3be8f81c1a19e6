// What retention removes of evaluations and experiments.
import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { RetentionStore } from "@svc-runtime/engine/run/store/RetentionStore"
import { DatasetStore } from "@svc-runtime/features/evaluation/datasets/DatasetStore"
import type * as EvalRun from "@svc-runtime/features/evaluation/EvalRun"
import { EvalRunStore } from "@svc-runtime/features/evaluation/EvalRunStore"
import type * as Experiment from "@svc-runtime/features/evaluation/Experiment"
import { ExperimentStore } from "@svc-runtime/features/evaluation/experiments/ExperimentStore"
import * as Datasets from "@svc-runtime/features/evaluation/test/DatasetStoreSuite"
import * as Evaluations from "@svc-runtime/features/evaluation/test/SampleEvalRuns"
import * as Experiments from "@svc-runtime/features/evaluation/test/SampleExperiments"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

Tier.oneIn(3)

const provided = Effect.provide(SqlStores.layer.pipe(Layer.provideMerge(PgliteLayer.layer)))

/** Pieces until nothing is left. */
const prune = Effect.gen(function*() {
  const store = yield* RetentionStore
  const pieces: Array<number> = []
  for (;;) {
    const count = yield* store.prune("evaluations", 3600)
    if (count === 0) return pieces
    pieces.push(count)
  }
})

const ids = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ readonly id: string }>`select id from svc_eval_runs order by seq`,
    (rows) => rows.map(({ id }) => id as EvalRun.Id)
  ))

const endedBefore = ({ id }: EvalRun.Stored, seconds: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`
      update svc_eval_runs set ended_at = extract(epoch from now())::bigint - ${seconds}::bigint where id = ${id}`)

describe("retention of evaluations", () => {
  it.live("evaluations that ended longer ago than the retention are removed, and others stay", () =>
    Effect.gen(function*() {
      const store = yield* EvalRunStore
      const [old, recent, unfinished] = [1, 2, 3].map(() => Evaluations.evalRun())
      for (const each of [old!, recent!, unfinished!]) yield* store.create(each, Evaluations.jobOf(each), 10)
      for (const { id } of [old!, recent!]) yield* store.finish(id, Evaluations.completed)
      yield* endedBefore(old!, 4000)
      yield* endedBefore(recent!, 3000)
      assert.deepStrictEqual(yield* prune, [1])
      assert.deepStrictEqual(yield* ids, [recent!.id, unfinished!.id])
    }).pipe(provided))

  it.live("an evaluation that took longer than the retention stays for it, however it ended", () =>
    Effect.gen(function*() {
      const store = yield* EvalRunStore
      const made = ["COMPLETED", "FAILED", "CANCELLED"].map(() => Evaluations.evalRun())
      const orphaned = Evaluations.evalRun()
      for (const each of [...made, orphaned]) yield* store.create(each, Evaluations.jobOf(each), 10)
      for (const [at, status] of (["COMPLETED", "FAILED", "CANCELLED"] as const).entries()) {
        yield* store.finish(made[at]!.id, { ...Evaluations.completed, status })
      }
      yield* (yield* JobStore).cancel(Evaluations.jobOf(orphaned).id, Owner.anyone)
      assert.strictEqual(yield* store.failOrphaned({ before: 5_000, error: "gone" }), 1)
      assert.deepStrictEqual(yield* prune, [])
      assert.deepStrictEqual(yield* ids, [...made, orphaned].map(({ id }) => id))
    }).pipe(provided))

  it.live("a new name does not prolong the retention of an evaluation", () =>
    Effect.gen(function*() {
      const store = yield* EvalRunStore
      const old = Evaluations.evalRun()
      yield* store.create(old, Evaluations.jobOf(old), 10)
      yield* store.finish(old.id, Evaluations.completed)
      yield* endedBefore(old, 4000)
      yield* store.rename(old.id, "new", Math.floor((yield* Clock.currentTimeMillis) / 1000))
      assert.deepStrictEqual(yield* prune, [1])
    }).pipe(provided))

  it.live("an evaluation that an older version ended is removed by the time of its last change", () =>
    Effect.gen(function*() {
      const [sql, store] = [yield* SqlClient.SqlClient, yield* EvalRunStore]
      const old = Evaluations.evalRun()
      yield* store.create(old, Evaluations.jobOf(old), 10)
      yield* store.finish(old.id, Evaluations.completed)
      yield* sql`update svc_eval_runs set ended_at = null`
      assert.deepStrictEqual(yield* prune, [1])
    }).pipe(provided))

  it.live("experiments that have ended for a time are removed with their results in pieces, and their dataset stays", () =>
    Effect.gen(function*() {
      const [sql, store, datasets] = [yield* SqlClient.SqlClient, yield* ExperimentStore, yield* DatasetStore]
      const dataset = Datasets.dataset()
      yield* datasets.create(dataset)
      const create = Effect.fnUntraced(function*() {
        const experiment = Experiments.experiment(dataset.id)
        yield* store.create({ experiment }, Experiments.jobOfExperiment(experiment), 10)
        return experiment
      })
      const fill = ({ id }: Experiment.Stored, count: number) =>
        sql`
        insert into svc_experiment_items (experiment_id, place, item_id, status, figures, body, bytes)
        select ${id}, n, n::text, 'passed', '{}', '{}', 2 from generate_series(1, ${count}::int) n`
      const [large, small, unfinished] = [yield* create(), yield* create(), yield* create()]
      yield* fill(large, 1200)
      yield* fill(small, 3)
      yield* fill(unfinished, 3)
      const end = { status: "FAILED", error: "x", summary: null } as const
      yield* store.finish(large.id, { ...end, updated_at: 1_000 })
      yield* store.finish(small.id, { ...end, updated_at: 2_000 })
      assert.deepStrictEqual(yield* prune, [500, 500, 201, 4])
      const left = yield* sql<{ readonly id: string }>`select id from svc_experiments`
      assert.deepStrictEqual(left.map(({ id }) => id), [unfinished.id])
      assert.deepStrictEqual(yield* sql`select count(*)::int as count from svc_experiment_items`, [{ count: 3 }])
      assert.deepStrictEqual(yield* sql`select count(*)::int as count from svc_datasets`, [{ count: 1 }])
    }).pipe(provided))
})
