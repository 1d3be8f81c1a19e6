// The plans of the statements that start and end runs, as a database with statistics makes them once for all calls.
import { assert, layer } from "@effect/vitest"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { ending, newRun } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as CreateColumns from "../src/runs/CreateColumns.ts"
import * as CreateStatement from "../src/runs/CreateStatement.ts"
import * as FinishStatement from "../src/runs/FinishStatement.ts"
import { Stores } from "./Stores.ts"

const variants = [false, true].flatMap((isLimited) =>
  [false, true].map((isPlaced) => CreateStatement.variantFor({ isLimited, isPlaced }))
)

layer(Stores.pipe(Layer.provideMerge(PgliteLayer.layerCopied)))("The plans of runs", (it) => {
  it.effect("a statement that starts or ends runs reads no table as a whole, however large the tables are", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into svc_sessions (session_id, session_type, created_at, updated_at)
        select 'session-' || number, 'agent', 1, 1 from generate_series(1, 600) as number`
      yield* sql`
        insert into svc_runs (run_id, session_id, kind, component_id, node, status, created_at, updated_at, output)
        select 'run-' || number, 'session-' || number, 'agent', 'a', 'node', 'COMPLETED', 1, 1, '{}'
        from generate_series(1, 600) as number`
      yield* sql`vacuum analyze`
      const begun = Array.from({ length: 20 }, () => newRun())
      const ends = begun.map((run) => ({ ...FinishStatement.encode(ending(run)), node: "node" }))
      const limits = { history: 1e6, inline: 1e6 }
      const begins = CreateColumns.parameters(begun.map((run) => CreateColumns.encode(run, "begin")), limits)
      for (
        const [statement, parameters] of [
          ...variants.flatMap(({ skipsLocked, waitsForLock }) => [
            [skipsLocked, begins] as const,
            [waitsForLock, begins] as const
          ]),
          [FinishStatement.statement, FinishStatement.parameters(ends)],
          [FinishStatement.andDequeue, FinishStatement.andDequeueParameters(ends, limits)]
        ] as const
      ) {
        const rows = yield* sql.unsafe<{ readonly "QUERY PLAN": string }>(
          `explain (generic_plan) ${statement}`,
          parameters
        )
        const plan = rows.map((row) => row["QUERY PLAN"]).join("\n")
        assert.include(plan, "svc_runs")
        assert.notMatch(plan, /Seq Scan on svc_|Scan using \S+ on svc_[^\n]*\n(?!\s+Index Cond)/)
      }
    }))
})
