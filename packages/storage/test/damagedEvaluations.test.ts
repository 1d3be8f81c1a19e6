// Evaluation runs that were damaged in the database.
import { assert, layer } from "@effect/vitest"
import { EvalRunStore } from "@svc/runtime/evaluation/EvalRunStore"
import * as PgliteLayer from "@svc/testing/PgliteLayer"
import { evalRun, jobOf } from "@svc/testing/suites/evaluations/SampleEvalRuns"
import { Cause, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as SqlStores from "../src/SqlStores.ts"

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
})
