import { assert, it } from "@effect/vitest"
import { RetentionStore } from "@svc-runtime/engine/run/store/RetentionStore"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { ending, events, newRun } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as SqlRetentionStore from "../src/SqlRetentionStore.ts"
import { Stores } from "./Stores.ts"

it.live("a streamed word of an ended run takes less than 20 bytes", () =>
  Effect.gen(function*() {
    const [sql, runs, retention] = [yield* SqlClient.SqlClient, yield* RunStore, yield* RetentionStore]
    const words = 20_000
    const begun = newRun()
    yield* runs.create({ ...begun, startEvent: events(begun, 0)[0] })
    const stored = events(begun, words).map((event) =>
      event.event === "RunContent" ? { ...event, content: `${(event.event_index * 7919) % 9973} ` } : event
    )
    yield* runs.finish(ending(begun, { events: stored.slice(0, -1) }))
    // copies have no dead rows, which other connections can keep from a vacuum
    const sizeOf = Effect.fnUntraced(function*(table: string) {
      yield* sql`create temporary table copy (like ${sql(table)} including all) on commit drop`
      yield* sql`insert into copy overriding system value select * from ${sql(table)}`
      const [row] = yield* sql<{ readonly bytes: number }>`select pg_total_relation_size('copy')::int as bytes`
      return row!.bytes
    }, sql.withTransaction)
    const bytes = Effect.map(
      Effect.all([sizeOf("svc_run_events"), sizeOf("svc_run_event_folds")]),
      ([events, folds]) => (events + folds) / words
    )
    assert.isAbove(yield* bytes, 100)
    while ((yield* retention.prune("folds", 60)) > 0);
    assert.isBelow(yield* bytes, 20)
  }).pipe(
    Effect.provide(
      Layer.mergeAll(Stores, Layer.provide(SqlRetentionStore.layer, SqlStores.expiry)).pipe(
        Layer.provideMerge(PostgresLayer.layer)
      )
    )
  ))
