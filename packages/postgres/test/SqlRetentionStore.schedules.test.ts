// What retention removes of the runs of schedules.
import { assert, it } from "@effect/vitest"
import { RetentionStore } from "@svc-runtime/engine/run/store/RetentionStore"
import { fill } from "@svc-runtime/features/schedules/test/stores"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

it.live("ended runs of schedules are removed after a time, and others stay", () =>
  Effect.gen(function*() {
    const [sql, store] = [yield* SqlClient.SqlClient, yield* RetentionStore]
    yield* fill(3)
    yield* sql`update svc_schedule_runs set completed_at = 1 where id = 'schedule-run-1'`
    yield* sql`update svc_schedule_runs set status = 'running', completed_at = null where id = 'schedule-run-2'`
    yield* sql`
      update svc_schedule_runs set completed_at = extract(epoch from now())::bigint where id = 'schedule-run-3'`
    assert.strictEqual(yield* store.prune("scheduleRuns", 3600), 1)
    assert.strictEqual(yield* store.prune("scheduleRuns", 3600), 0)
    assert.deepStrictEqual(yield* sql`select id from svc_schedule_runs order by id`, [
      { id: "schedule-run-2" },
      { id: "schedule-run-3" }
    ])
  }).pipe(Effect.provide(SqlStores.layer.pipe(Layer.provideMerge(PgliteLayer.layer)))))
