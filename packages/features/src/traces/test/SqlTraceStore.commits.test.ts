import { assert, layer } from "@effect/vitest"
import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as SqlTraceStore from "../SqlTraceStore.ts"
import { TraceStore } from "../TraceStore.ts"
import { at, root } from "./SampleTraces.ts"

/** Whether what was committed last is not written to the disk yet. */
const isPending = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly pending: boolean }>`
    select pg_current_wal_insert_lsn() > pg_current_wal_flush_lsn() as pending`
  return rows[0]?.pending
})

const database = SqlTraceStore.layer.pipe(
  Layer.provideMerge(Migrations.layer),
  Layer.provideMerge(PgliteLayer.layer)
)

layer(database, { excludeTestServices: true })("The commit of spans", (it) => {
  it.effect("a write of spans does not wait for the disk, and the next statement waits again", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table noted (id integer)`
      // reading can tidy up a page, which is not written at once: the next commit writes that too
      const written = Effect.repeat(Effect.andThen(sql`insert into noted values (1)`, isPending), {
        until: (pending) => pending === false,
        times: 5
      })
      assert.isFalse(yield* written)
      yield* (yield* TraceStore).write([root()], at(1))
      assert.isTrue(yield* isPending)
      assert.isFalse(yield* written)
    }))
})
