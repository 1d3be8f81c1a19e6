// Evaluation runs that were damaged in the database.
import { assert, layer } from "@effect/vitest"
import { EvalRunStore } from "@svc-runtime/features/evaluation/EvalRunStore"
import { evalRun, jobOf } from "@svc-runtime/features/evaluation/test/SampleEvalRuns"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Cause, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"

const stores = SqlStores.layer.pipe(Layer.provideMerge(PgliteLayer.layer))

layer(stores, { excludeTestServices: true })("A damaged evaluation run", (it) => {
  it.effect("a change of an evaluation run that cannot be read fails, and is not stored", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const store = yield* EvalRunStore
      const damaged = evalRun({ name: "before" })
      yield* store.create(damaged, jobOf(damaged), 10)
      yield* sql`update svc_eval_runs set eval_data = '3' where id = ${damaged.id}`
      for (const change of [store.rename(damaged.id, "after", 2_000), store.begin(damaged.id)]) {
        const exit = yield* Effect.exit(change)
        assert.include(
          Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "",
          "cannot be read. Damaged columns: eval_data"
        )
      }
      const [stored] = yield* sql`select name, status from svc_eval_runs where id = ${damaged.id}`
      assert.deepStrictEqual({ ...stored }, { name: "before", status: "PENDING" })
    }))

  it.effect("a damaged result fails the read of the results as damaged data, not as an outage", () =>
    Effect.gen(function*() {
      const [sql, store] = [yield* SqlClient.SqlClient, yield* EvalRunStore]
      const damaged = evalRun()
      yield* store.create(damaged, jobOf(damaged), 10)
      for (const place of [0, 1]) yield* store.record(damaged.id, place, { score: place })
      yield* sql`update svc_eval_results set body = '"hunter2"' where eval_id = ${damaged.id} and place = 1`
      const exit = yield* Effect.exit(store.results(damaged.id))
      const text = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""
      assert.include(text, `The stored evaluation run '${damaged.id}' cannot be read. Damaged columns: results`)
      assert.notInclude(text, "hunter2")
    }))
})
