// What retention removes of the counts of started runs.
import { assert, it } from "@effect/vitest"
import { RetentionStore } from "@svc-runtime/engine/run/store/RetentionStore"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

it.live("the counts of a minute that is over are removed in pieces, and others stay", () =>
  Effect.gen(function*() {
    const [sql, store] = [yield* SqlClient.SqlClient, yield* RetentionStore]
    yield* sql`
      insert into svc_run_starts
      select n::text, now() - make_interval(secs => case when n <= 600 then 61 else 1 end), 1
      from generate_series(1, 700) n`
    const pieces = [yield* store.prune("starts", 60), yield* store.prune("starts", 60)]
    assert.deepStrictEqual(pieces, [500, 100])
    assert.strictEqual(yield* store.prune("starts", 60), 0)
  }).pipe(Effect.provide(SqlStores.layer.pipe(Layer.provideMerge(PgliteLayer.layer)))))
