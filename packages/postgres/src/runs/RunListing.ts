// Lists the runs of a session with their nested runs. Their sizes are computed first: a list that
// does not fit into one response is refused, and others are read in pieces of bounded size.
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import { ResponseTooLarge } from "@svc-runtime/engine/limits/ResponseLimit"
import type { RunFilter } from "@svc-runtime/engine/run/store/RunReads"
import { Effect, Option, Schema } from "effect"
import { type SqlClient, SqlSchema, type Statement } from "effect/sql"
import { unchecked } from "../sql/rows.ts"
import * as RunPieces from "./RunPieces.ts"
import * as RunRows from "./RunRows.ts"

/** Without an id: the session exists, and has no such run. */
const SizeRow = Schema.Struct({
  run_id: Schema.NullOr(Run.Id),
  /** The run that it is in. */
  outermost: Schema.NullOr(Schema.String),
  bytes: Schema.Finite,
  /** Without the texts that are stored apart. */
  parsed: Schema.Finite
})
type Sized = typeof SizeRow.Type & { readonly run_id: Run.Id }

export interface Search {
  readonly session: Session.Id
  readonly filter: RunFilter
}

interface Listed extends Search {
  readonly page: Pagination.Request | undefined
}

export interface Options {
  readonly sql: SqlClient.SqlClient
  readonly responseLimit: number
  /** What is read of a run `r`. */
  readonly columns: Statement.Fragment
  /** Of a session `s`, and of a run `r` in it. */
  readonly isVisible: (search: Search) => Statement.Fragment
  readonly isWanted: (filter: RunFilter) => Statement.Fragment
}

/** Repetitive values are stored compressed, and count with their size when read. Others are not read for it. */
const sizeOf = (column: string) =>
  `case when pg_column_compression(${column}) is null then pg_column_size(${column}) else octet_length(${column}::text) end`

/** Of a run `r`. */
export const outputBytes = sizeOf("r.output")
const messageBytes = sizeOf("m.body")
const eventBytes = sizeOf("e.body")

/** Of a run `r`: the bytes of its rows when they are read. */
export const readBytes = `(coalesce(${outputBytes}, 0) + (
      select coalesce(sum(${messageBytes}), 0) from svc_messages m where m.run_seq = r.seq
    ) + (
      select coalesce(sum(${eventBytes}), 0) from svc_run_events e where e.run_seq = r.seq
    ))`

/** Nested runs by their parent, in the order of acceptance. */
const grouped = (
  rows: ReadonlyArray<Sized>
): ReadonlyArray<ReadonlyArray<Sized>> => [
  ...Map.groupBy(rows, ({ outermost, run_id }) => outermost ?? run_id).values()
]

export const make = ({ responseLimit, columns, isVisible, isWanted, sql }: Options) => {
  const root = sql.literal("coalesce(r.outermost_run_id, r.run_id)")

  /** The runs of a page with their nested runs; the first page has the newest. Others are not sized. */
  const isListed = ({ page, ...search }: Listed) =>
    page === undefined ? { listed: sql``, condition: sql`true` } : {
      listed: sql`
        with listed as materialized (
          select ${root} as root, min(r.seq) as first from svc_sessions s join svc_runs r on ${isWanted(search.filter)}
          where ${isVisible(search)} group by 1 order by 2 desc limit ${page.limit} offset ${Pagination.offset(page)}
        )`,
      condition: sql`r.seq >= (select min(first) from listed) and ${root} = any(array(select root from listed))`
    }

  // of messages also their separately stored texts
  const findSizes = SqlSchema.findAll({
    Request: unchecked<Listed>(),
    Result: SizeRow,
    execute: (search) => {
      const { condition, listed } = isListed(search)
      return sql`
        ${listed} select r.run_id, r.outermost_run_id as outermost, coalesce(
          ${sql.literal(outputBytes)} + coalesce(r.history_bytes, (
            select coalesce(sum(${sql.literal(messageBytes)}), 0) from svc_messages m where m.run_seq = r.seq
          )) + (
            select coalesce(sum(${sql.literal(eventBytes)}), 0) from svc_run_events e where e.run_seq = r.seq
          ), 0)::float8 as bytes, case when r.seq is null then 0 else ${sql.literal(readBytes)} end::float8 as parsed
        from svc_sessions s left join svc_runs r on ${isWanted(search.filter)} and ${condition}
        where ${isVisible(search)} order by r.seq`
    }
  })

  const findRuns = RunPieces.make(sql, columns)

  return Effect.fnUntraced(function*(search: Search, page?: Pagination.Request) {
    const found = yield* findSizes({ ...search, page })
    if (found.length === 0) return Option.none()
    const wanted = grouped(found.filter((row): row is Sized => row.run_id !== null)).flat()
    const bytes = wanted.reduce((sum, row) => sum + row.bytes, 0)
    if (bytes > responseLimit) return yield* new ResponseTooLarge({ subject: "runs", bytes, limit: responseLimit })
    const parsed = wanted.reduce((sum, row) => sum + row.parsed, 0)
    // the texts that are stored apart are admitted before they are read
    yield* ReadLimiter.admit(Effect.succeed({ parsed }))
    return Option.some(yield* RunRows.toOutputs(yield* findRuns(wanted)))
  })
}
