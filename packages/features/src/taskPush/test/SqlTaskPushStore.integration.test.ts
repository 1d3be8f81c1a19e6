import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as SqlRunStore from "@svc-runtime/postgres/SqlRunStore"
import * as SqlSessionStore from "@svc-runtime/postgres/SqlSessionStore"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { newRun } from "@svc-runtime/test-support/suites/Samples"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as SqlTaskPushStore from "../SqlTaskPushStore.ts"
import { maxPerRun } from "../TaskPush.ts"
import { TaskPushStore } from "../TaskPushStore.ts"
import * as TaskPushStoreSuite from "./TaskPushStoreSuite.ts"

const stores = Layer.mergeAll(SqlTaskPushStore.layer, SqlRunStore.layer, SqlSessionStore.layer).pipe(
  Layer.provideMerge(Migrations.layer),
  Layer.provideMerge(PostgresLayer.layer)
)

layer(stores, { excludeTestServices: true })("Configs that are put at the same time", (it) => {
  it.effect("the last place of a run goes to one of them, and the others are refused", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { put } = yield* TaskPushStore
      const run = newRun()
      yield* RunStore.use((store) => store.create(run))
      const next = put(TaskPushStoreSuite.pushOf(run.run_id), Owner.anyone, 1)
      yield* Effect.replicateEffect(
        Effect.suspend(() => put(TaskPushStoreSuite.pushOf(run.run_id), Owner.anyone, 1)),
        maxPerRun - 1
      )
      const isPut = yield* Deferred.make<void>()
      const other = yield* Effect.forkChild(Effect.andThen(Deferred.await(isPut), Effect.flip(next)))
      const isWaiting = Effect.map(
        sql<{ readonly count: number }>`select count(*)::int as count from pg_locks where not granted`,
        ([row]) => (row?.count ?? 0) > 0 || other.pollUnsafe() !== undefined
      )
      yield* sql.withTransaction(Effect.gen(function*() {
        yield* put(TaskPushStoreSuite.pushOf(run.run_id), Owner.anyone, 1)
        yield* Deferred.succeed(isPut, undefined)
        yield* Effect.repeat(isWaiting, { until: (is) => is })
      }))
      assert.strictEqual((yield* Fiber.join(other))._tag, "TaskPushesFull")
    }))
})
