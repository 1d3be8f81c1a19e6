// Reads many runs without their messages and events. Their sizes are found by one statement: runs that do not exist
// cost no other one, and no more is read than fits into one response.
import type * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import type { RunReading } from "@svc-runtime/engine/run/store/RunReading"
import type { RunKey } from "@svc-runtime/engine/run/store/RunReads"
import { Effect, Schema } from "effect"
import { type SqlClient, SqlSchema } from "effect/sql"
import { readOrUnavailable } from "../sql/orUnavailable.ts"
import * as Ownership from "../sql/Ownership.ts"
import { text, texts, unchecked } from "../sql/rows.ts"
import * as RunColumns from "./RunColumns.ts"
import * as RunListing from "./RunListing.ts"
import * as RunPieces from "./RunPieces.ts"
import * as RunRows from "./RunRows.ts"
import * as RunSearch from "./RunSearch.ts"

interface Wanted {
  readonly runs: ReadonlyArray<RunKey>
  readonly owner: Owner.Owner
}

export const make = (
  sql: SqlClient.SqlClient,
  { historyLimit, responseLimit }: RunSearch.Limits
): RunReading["Service"]["outlines"] => {
  const findSizes = SqlSchema.findAll({
    Request: unchecked<Wanted>(),
    Result: Schema.Struct({ run_id: Run.Id, bytes: Schema.Finite }),
    execute: ({ owner, runs }) =>
      sql`
        select r.run_id, coalesce(${sql.literal(RunListing.outputBytes)}, 0)::float8 as bytes
        from unnest(
          ${texts(runs.map(({ run_id }) => text(run_id)))}::text[],
          ${texts(runs.map(({ session_id }) => text(session_id)))}::text[]
        ) with ordinality as wanted (run_id, session_id, place)
        cross join lateral (
          select * from svc_runs r where r.run_id = wanted.run_id and r.session_id = wanted.session_id offset 0
        ) r cross join lateral (
          select * from svc_sessions s where s.session_id = r.session_id offset 0
        ) s
        where ${Ownership.isVisible(sql, owner)} order by wanted.place`
  })

  const read = RunPieces.make(sql, RunColumns.make(sql, historyLimit).outline)

  return Effect.fn("SqlRunStore.outlines")(function*(runs, { owner }) {
    if (runs.length === 0) return []
    const sized = RunSearch.fitting(yield* findSizes({ runs, owner }), ({ bytes }) => bytes, responseLimit)
    if (sized.length === 0) return []
    yield* ReadLimiter.admit(Effect.sync(() => ({ parsed: sized.reduce((sum, { bytes }) => sum + bytes, 0) })))
    return yield* Effect.forEach(yield* read(sized), RunRows.toOutput)
  }, readOrUnavailable)
}
