// What happens when two statements about traces meet in the database.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Session from "@svc-runtime/domain/Session"
import { RetentionStore } from "@svc-runtime/engine/run/store/RetentionStore"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as Migrations from "@svc-runtime/postgres/Migrations"
import { inTransaction } from "@svc-runtime/postgres/sql/inTransaction"
import { orUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as SqlRetentionStore from "@svc-runtime/postgres/SqlRetentionStore"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { sessionId, userId } from "@svc-runtime/test-support/suites/Samples"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { during } from "../../../../postgres/test/during.ts"
import * as SqlTraceStore from "../SqlTraceStore.ts"
import { TraceStore } from "../TraceStore.ts"
import { at, root } from "./SampleTraces.ts"

Tier.oneIn(6)

const Database = Layer.mergeAll(SqlTraceStore.layer, Layer.provide(SqlRetentionStore.layer, SqlStores.expiry)).pipe(
  Layer.provideMerge(Migrations.layer),
  Layer.provideMerge(PostgresLayer.layer)
)

const lock = (trace_id: string) =>
  SqlClient.SqlClient.use((sql) => sql`select from svc_traces where trace_id = ${trace_id} for update`)

/** The rows are found in the order in which they were stored. */
const withoutIndexes = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  SqlClient.SqlClient.use((sql) =>
    sql.withTransaction(Effect.andThen(
      Effect.all([sql`set local enable_indexscan = off`, sql`set local enable_bitmapscan = off`], { discard: true }),
      effect
    ))
  )

/** Two traces of a session, of which the second one is stored first. */
const stored = Effect.gen(function*() {
  const store = yield* TraceStore
  const [user_id, session_id] = [userId(), Session.Id.make(sessionId())]
  const [first, last] = [root({ user_id, session_id }), root({ user_id, session_id })]
  for (const span of [last, first]) yield* store.write([span], at(1))
  return { user_id, session_id, first: first.trace_id, last: last.trace_id }
})

layer(Database, { excludeTestServices: true })("Statements about traces that meet", (it) => {
  it.effect("traces are locked in the order of their ids, so that removals at once do not deadlock", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const calls = {
        ofSessions: ({ session_id }: { readonly session_id: Session.Id }) =>
          store.removeOfSessions([session_id], Owner.anyone, at(9)),
        ofUser: ({ user_id }: Effect.Success<typeof stored>) => store.removeOfUser(user_id, at(9))
      }
      for (const [name, call] of Object.entries(calls)) {
        const traces = yield* stored
        const outcome = yield* during(lock(traces.first), withoutIndexes(call(traces)), lock(traces.last))
        assert.deepInclude(outcome, { _tag: "Success", success: 2 }, name)
      }
    }))

  it.effect("the retention waits for no trace that another statement has locked, and finds it later", () =>
    Effect.gen(function*() {
      const [sql, store, retention] = [yield* SqlClient.SqlClient, yield* TraceStore, yield* RetentionStore]
      const { first, session_id } = yield* stored
      yield* store.recordRemovalOfSessions([session_id], Owner.anyone, at(9))
      const [locked, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const holder = yield* lock(first).pipe(
        Effect.andThen(Deferred.succeed(locked, undefined)),
        Effect.andThen(Deferred.await(released)),
        sql.withTransaction,
        Effect.forkChild
      )
      yield* Deferred.await(locked)
      assert.strictEqual(yield* retention.prune("traceRemovals", 0), 1)
      yield* Deferred.succeed(released, undefined)
      yield* Fiber.join(holder)
      assert.strictEqual(yield* retention.prune("traceRemovals", 0), 1)
    }))

  it.effect("a transaction of stores that ends in a deadlock is repeated as a whole", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { first, last } = yield* stored
      let attempts = 0
      const transaction = Effect.sync(() => attempts++).pipe(
        Effect.andThen(orUnavailable(lock(last))),
        Effect.andThen(orUnavailable(lock(first))),
        inTransaction(sql),
        orUnavailable
      )
      const holding = Effect.andThen(sql`set local deadlock_timeout = '1h'`, lock(first))
      const outcome = yield* during(holding, transaction, lock(last))
      assert.deepStrictEqual([outcome._tag, attempts], ["Success", 2])
    }))
})
