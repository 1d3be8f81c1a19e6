import { assert, describe, it } from "@effect/vitest"
import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Effect, Layer } from "effect"
import { SqlClient, Statement } from "effect/sql"
import * as SqlTraceStore from "../SqlTraceStore.ts"
import { fill, plannedTracesOfRuns } from "./stores.ts"

const database = SqlTraceStore.layer.pipe(
  Layer.provideMerge(Migrations.layer),
  Layer.provideMerge(PgliteLayer.layerCopied)
)

const rows = 5000

/** Otherwise a plan for more traces looks for them along the start times. */
const expected = rows / 200

describe("Plans of lists of traces by run and session", () => {
  it.effect("the indexes find other runs, and a plan that does not know the values expects few traces", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* fill(rows)
      yield* sql`vacuum analyze svc_traces`
      for (const [name, call] of Object.entries(plannedTracesOfRuns)) {
        const statements: Array<readonly [string, ReadonlyArray<unknown>]> = []
        const keep: Statement.Transformer = (statement) =>
          Effect.sync(() => {
            statements.push(statement.compile())
            return statement
          })
        yield* Effect.provideService(call, Statement.CurrentTransformer, keep)
        assert.lengthOf(statements, 1)
        for (const [text, parameters] of statements) {
          yield* sql.unsafe(`prepare planned as ${text}`)
          const values = parameters.map(() => "null").join()
          const lines = yield* sql.unsafe<{ readonly "QUERY PLAN": string }>(`explain execute planned (${values})`)
          yield* sql`deallocate planned`
          const plan = lines.map((line) => line["QUERY PLAN"]).join("\n")
          assert.match(plan, /Index Scan on svc_traces_by_other_/, name)
          assert.notMatch(plan, /(Seq|Index) Scan (using \S+ )?on svc_traces t/, name)
          for (const [, found] of plan.matchAll(/Bitmap Heap Scan on svc_traces .* rows=(\d+)/g)) {
            assert.isBelow(Number(found), expected, name)
          }
        }
      }
    }).pipe(Effect.provide(database)))
})
