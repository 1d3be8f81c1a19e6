// What retention removes of the usage of hours.
import { assert, it } from "@effect/vitest"
import { RetentionStore } from "@svc-runtime/engine/run/store/RetentionStore"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

it.live("the usage of hours is removed after a time, in pieces, and an hour that is not over for as long stays", () =>
  Effect.gen(function*() {
    const [sql, store] = [yield* SqlClient.SqlClient, yield* RetentionStore]
    yield* sql`
      insert into svc_usage_hours
      select floor(extract(epoch from now()) / 3600)::int - n / 600, 'agent', n::text, '', '', '', 1, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, '{}', '{}'
      from generate_series(0, 1799) n`
    const pieces = [yield* store.prune("usage", 3600), yield* store.prune("usage", 3600)]
    assert.strictEqual(pieces[0]! + pieces[1]!, 600)
    assert.isAbove(pieces[1]!, 0)
    assert.strictEqual(yield* store.prune("usage", 3600), 0)
  }).pipe(Effect.provide(SqlStores.layer.pipe(Layer.provideMerge(PgliteLayer.layer)))))
