// A run that is too large to be restored is never read, and differs from one that the database does not return.
import { assert, layer } from "@effect/vitest"
import * as StoreLimits from "@svc-runtime/engine/limits/StoreLimits"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { newId, newRun } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Stores } from "./Stores.ts"

const limit = 2 * 1024 * 1024

const limited = Stores.pipe(
  Layer.provide(StoreLimits.layerWith({ restored: limit })),
  Layer.provideMerge(PgliteLayer.layer)
)

const refused = Effect.fnUntraced(function*(content: unknown) {
  const runs = yield* RunStore
  const sql = yield* SqlClient.SqlClient
  const begun = newRun({ node: newId("node") })
  const { run_id } = begun
  yield* runs.create(begun)
  if (typeof content === "string") {
    yield* runs.record({ run_id, attempt: 1, position: 0, entry: { content }, events: [] })
  } else {
    yield* sql`
      insert into svc_run_journal (run_seq, position, body)
      select seq, 0, to_json(repeat('x', ${limit + 1}::int)) from svc_runs where run_id = ${run_id}`
  }
  return yield* Effect.flip(runs.load({ run_id, attempt: 1 }))
})

layer(limited)("A run that is too large to be restored", (it) => {
  it.effect("a run whose rows are too large is refused with its size and the setting", () =>
    Effect.gen(function*() {
      const error = yield* refused(undefined)
      assert.strictEqual(error._tag, "RunUnreadable")
      assert.match(error.message, /it has 3 MiB, and MAX_RESTORED_RUN_BYTES allows 2 MiB/)
    }))

  it.effect("a run whose long texts are too large is refused with its size and the setting", () =>
    Effect.gen(function*() {
      const error = yield* refused("y".repeat(limit + 1))
      assert.strictEqual(error._tag, "RunUnreadable")
      assert.match(error.message, /its long texts have 3 MiB, and MAX_RESTORED_RUN_BYTES allows 2 MiB/)
    }))

  it.effect("a run without the form of a run is refused, and its content is not shown", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const sql = yield* SqlClient.SqlClient
      const begun = newRun({ node: newId("node") })
      yield* runs.create(begun)
      yield* sql`update svc_runs set output = '{"secret":"hunter2"}' where run_id = ${begun.run_id}`
      const error = yield* Effect.flip(runs.load({ run_id: begun.run_id, attempt: 1 }))
      assert.strictEqual(error._tag, "RunUnreadable")
      assert.include(error.message, "does not have the form that this version reads")
      assert.notInclude(error.message, "hunter2")
    }))
})
