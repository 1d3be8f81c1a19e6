// Short statements cost less to execute than to plan.
import { assert, describe, layer } from "@effect/vitest"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ShortStatements } from "../src/ShortStatements.ts"

const planOf = (sql: SqlClient.SqlClient) =>
  Effect.map(sql<{ readonly plan_cache_mode: string }>`show plan_cache_mode`, ([row]) => row?.plan_cache_mode)

describe("Short statements", () => {
  layer(PgliteLayer.layer)("on the embedded database", (it) => {
    it.effect("A statement is planned once and not at each execution.", () =>
      Effect.gen(function*() {
        assert.strictEqual(yield* planOf(yield* SqlClient.SqlClient), "force_generic_plan")
      }))
  })

  layer(PostgresLayer.layer)("on PostgreSQL", (it) => {
    it.effect("A short statement is planned once per connection, and others as the server decides.", () =>
      Effect.gen(function*() {
        const short = yield* ShortStatements
        assert.isDefined(short)
        assert.strictEqual(yield* planOf(short.reads), "force_generic_plan")
        assert.strictEqual(yield* planOf(short.writes), "force_generic_plan")
        assert.strictEqual(yield* planOf(yield* SqlClient.SqlClient), "auto")
      }))
  })
})
