import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { UsageStore } from "@svc-runtime/engine/run/store/UsageStore"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { ending, newRun, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ShortStatements } from "../src/ShortStatements.ts"
import { during } from "./during.ts"

const Database = SqlStores.layer.pipe(
  Layer.provide(Layer.succeed(ShortStatements, undefined)),
  Layer.provideMerge(PostgresLayer.layer)
)

layer(Database, { excludeTestServices: true })("Usage of a user who is forgotten during a roll-up", (it) => {
  it.effect("a roll-up and the removal of a user id wait for each other, and both succeed", () =>
    Effect.gen(function*() {
      const [runs, usage] = [yield* RunStore, yield* UsageStore]
      const hour = 100_000
      const user_id = userId()
      const ended = Effect.fnUntraced(function*(user: typeof user_id | null) {
        const begun = newRun({ created_at: hour * 3600, user_id: user })
        yield* runs.create(begun)
        yield* runs.finish(ending(begun, { updated_at: hour * 3600 }))
      })
      yield* ended(null)
      yield* ended(user_id)
      yield* usage.rollUp()
      yield* ended(null)
      const sql = yield* SqlClient.SqlClient
      // a deadlock fails the roll-up, which has no more retries then
      const removal = yield* during(
        usage.rollUp(),
        sql.withTransaction(Effect.andThen(sql`set local deadlock_timeout = '1h'`, usage.forget(user_id))),
        Effect.andThen(ended(user_id), usage.rollUp())
      )
      assert.strictEqual(removal._tag, "Success")
      const range = { from: hour, to: hour + 24, interval: "day", group: "user" } as const
      const { figures } = yield* usage.list(
        { ...range, owner: Owner.anyone, component: undefined, model_id: undefined },
        { page: 1, limit: 10 }
      )
      assert.deepStrictEqual(figures.map((row) => [row.user_id, row.completed]), [["", 4]])
    }))
})
