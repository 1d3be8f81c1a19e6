// Lists the runs of all sessions, the newest first, without their contents.
import type * as Pagination from "@svc-runtime/domain/Pagination"
import * as RunItem from "@svc-runtime/domain/RunItem"
import type { RunReading } from "@svc-runtime/engine/run/store/RunReading"
import { maxCounted, type RunListFilter } from "@svc-runtime/engine/run/store/RunReads"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { readOrUnavailable } from "../sql/orUnavailable.ts"
import * as Ownership from "../sql/Ownership.ts"
import * as Page from "../sql/Page.ts"
import * as ReadableRows from "../sql/ReadableRows.ts"
import { text } from "../sql/rows.ts"

const columns = `r.run_id, r.session_id, s.user_id, r.status, r.kind, r.component_id, s.session_name, s.derived_name,
  r.created_at::float8 as created_at, r.updated_at::float8 as updated_at`

const readable = ReadableRows.make(RunItem.Stored, "run_id")

export const make = (sql: SqlClient.SqlClient): RunReading["Service"]["listAll"] => {
  const pages = Page.make(sql)

  /** The runs of one user are those of the user's sessions, which are fewer than all runs. A page reads no others. */
  const source = ({ owner, run_id, session_id }: RunListFilter) =>
    run_id === undefined && (owner._tag === "User" || session_id !== undefined)
      ? sql`svc_sessions s cross join lateral (
          select * from svc_runs r where r.session_id = s.session_id offset 0
        ) r`
      : sql`svc_runs r cross join lateral (
          select * from svc_sessions s where s.session_id = r.session_id offset 0
        ) s`

  const matching = (filter: RunListFilter) => {
    const { component_id, kind, owner, run_id, session_id, status } = filter
    return sql`${source(filter)} where ${
      sql.and([
        sql`coalesce(r.parent_run_id, '') = ''`,
        Ownership.isVisible(sql, owner),
        ...(kind === undefined ? [] : [sql`r.kind = ${kind}`]),
        ...(component_id === undefined ? [] : [sql`r.component_id = ${text(component_id)}`]),
        ...(run_id === undefined ? [] : [sql`r.run_id = ${text(run_id)}`]),
        ...(session_id === undefined ? [] : [sql`s.session_id = ${text(session_id)}`]),
        // a literal: statuses that are rare have indexes of their own
        ...(status === undefined ? [] : [sql.literal(`r.status = '${status}'`)])
      ])
    }`
  }

  return Effect.fn("SqlRunStore.listAll")(function*(filter: RunListFilter, page: Pagination.Request) {
    const from = matching(filter)
    const counted = sql`(select from ${from} limit ${maxCounted}) counted`
    const rows = yield* sql<{ readonly total: number }>`
      with found as materialized (
        select ${sql.literal(columns)} from ${from} order by r.seq desc ${pages.limits(page)}
      )
      select found.*, ${pages.total({ from: counted, page })} as total from found`
    return { runs: yield* readable(rows), total: yield* pages.totalOf(rows, { from: counted, page }) }
  }, readOrUnavailable)
}
